import type { Clock } from '../clock.ts';
import type { Exposition } from '../exposition/exposition.ts';
import type { ExchangeInfo } from '../platform/exchange.ts';
import type { Answer, Read, Resource } from '../platform/read.ts';
import { SharedLimits } from '../rate-limit/assumed-limit.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { Observed, ObservedPlatform } from './observed-platform.ts';

/** Is handed the record of every exchange, with what it has shown of the platform. */
export interface OperationObserver {
  exchanged(account: string, info: ExchangeInfo, observed: Observed): void;
}

export interface OperationsOptions {
  readonly account: string;
  readonly clock: Clock;
  readonly queue: Pick<RequestQueue, 'turn'>;
  readonly platform: Pick<ObservedPlatform, 'observe'>;
  /** Sends a request at once: the record of each exchange as it ends, before the next one begins, and then the answer. */
  readonly send: (resource: Resource, signal: AbortSignal) => AsyncGenerator<ExchangeInfo, Answer>;
  /** Within which the answer comes. */
  readonly timeoutMs: number;
  /** Shared by all accounts; by default only the queue holds requests back. */
  readonly turns?: Turns | undefined;
  readonly observer?: OperationObserver | undefined;
}

/**
 * Sends a request whose turn has come.
 * @param overdue called if it exceeds its timeout
 * @throws PlatformFailure if there is no usable answer, and the signal's reason if it aborts
 */
export type Perform = (resource: () => Resource, overdue?: () => void) => Promise<Answer>;

/** Performs an account's operations, each when the quota allows it. The only place that acts on exchanges. */
export class Operations {
  readonly #options: OperationsOptions;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** Resolves when a request may leave, with what sends it: that must be called. Rejects when the signal aborts. */
  async turn(request: QueuedRequest, signal: AbortSignal): Promise<Perform> {
    const { queue, turns, timeoutMs } = this.#options;
    const over = await queue.turn(request, signal);
    return async (resource, overdue = () => undefined) => {
      let answer: Answer;
      try {
        await turns?.departures.turn();
        answer = await watched(this.readAtOnce(resource(), signal), timeoutMs, overdue);
      } catch (failure) {
        // Where a platform hangs, the requests of hundreds of accounts end in the same moment.
        await turns?.arrivals.turn();
        throw failure;
      } finally {
        over();
      }
      await turns?.arrivals.turn();
      return answer;
    };
  }

  /** Reads for operations that no job asks for: all equally urgent, none paced. */
  readFor(usual: string): Read {
    return async (resource, signal, group = usual) => {
      const now = this.#options.clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      const perform = await this.turn(request, signal);
      return perform(resource);
    };
  }

  /** Reads without waiting for a turn, for callers that had theirs or respect the quota themselves. @throws as {@link Perform} */
  async readAtOnce(resource: Resource, signal: AbortSignal): Promise<Answer> {
    const exchanges = this.#options.send(resource, signal);
    for (;;) {
      const { done, value } = await exchanges.next();
      if (done === true) return value;
      this.take(value);
    }
  }

  /** Takes in what an exchange shows, before another request of the account can leave. */
  take(info: ExchangeInfo): void {
    const { account, platform, observer } = this.#options;
    const observed = platform.observe(info);
    observer?.exchanged(account, info, observed);
  }
}

/** Number of scrapes that wait for an answer. */
type Scrapes = Readonly<Pick<Exposition, 'scrapes'>>;

/**
 * Lets one caller through per turn of the event loop, in order, and none while a scrape waits: all at once would block
 * the loop.
 */
class OnePerTurn {
  readonly #exposition: Scrapes;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(exposition: Scrapes) {
    this.#exposition = exposition;
  }

  /** Resolves when the caller may continue; undefined if it may at once. */
  turn(): Promise<void> | undefined {
    const waits = this.#isTaken || this.#exposition.scrapes > 0;
    if (!this.#isTaken) this.#take();
    return waits ? new Promise((go) => this.#waiting.push(go)) : undefined;
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      if (this.#waiting.length > 0 && this.#exposition.scrapes > 0) return this.#take();
      const next = this.#waiting.shift();
      this.#isTaken = next !== undefined;
      if (next === undefined) return;
      this.#take();
      next();
    });
  }
}

/**
 * Spreads the work of all accounts over turns of the event loop: a platform may answer hundreds of accounts at the same
 * moment. Requests in flight are not limited here, so an account that hangs holds up no other.
 */
export class Turns {
  /** Requests that are sent. */
  readonly departures: OnePerTurn;
  /** Answers that are taken in, which takes some milliseconds each. */
  readonly arrivals: OnePerTurn;
  /** The limits that the platform counts by the client's address. */
  readonly limits = new SharedLimits();

  /** @param exposition while scrapes of it wait, everything else does; none do by default */
  constructor(exposition: Scrapes = { scrapes: 0 }) {
    this.departures = new OnePerTurn(exposition);
    this.arrivals = new OnePerTurn(exposition);
  }
}

/** A part of a poll is reported when it exceeds its deadline by this time (ms). */
const GRACE_MS = 1_000;

/** After an event loop that was blocked, what is due ends first (ms). */
const SETTLING_MS = 100;

/**
 * Calls `report` when a part of a poll goes on for a second beyond its deadline, which means that the deadline does not
 * work. Real time, like the deadlines.
 */
export async function watched<T>(part: Promise<T>, deadlineMs: number, report: () => void): Promise<T> {
  let timer = setTimeout(() => {
    timer = setTimeout(report, SETTLING_MS);
  }, deadlineMs + GRACE_MS);
  try {
    return await part;
  } finally {
    clearTimeout(timer);
  }
}
