import type { Clock } from '../clock.ts';
import type { Exposition } from '../exposition/exposition.ts';
import type { ExchangeInfo } from '../platform/exchange.ts';
import type { Answer, Read, Resource } from '../platform/read.ts';
import { SharedLimits } from '../rate-limit/assumed-limit.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { Observed, ObservedPlatform } from './observed-platform.ts';

/** Observer of every exchange, with its facts about the platform. */
export interface OperationObserver {
  exchanged(account: string, info: ExchangeInfo, observed: Observed): void;
}

export interface OperationsOptions {
  readonly account: string;
  readonly clock: Clock;
  readonly queue: Pick<RequestQueue, 'turn'>;
  readonly platform: Pick<ObservedPlatform, 'observe'>;
  /** Sends a request at once. Yields the record of each exchange before the next begins, and returns the answer. */
  readonly send: (resource: Resource, signal: AbortSignal) => AsyncGenerator<ExchangeInfo, Answer>;
  /** Timeout (ms) of an answer. */
  readonly timeoutMs: number;
  /** Turns that all accounts share; default: only the queue delays requests. */
  readonly turns?: Turns | undefined;
  readonly observer?: OperationObserver | undefined;
}

/**
 * Sends a request whose turn has come.
 * @param overdue called if the request exceeds its timeout
 * @throws PlatformFailure if there is no usable answer, and the signal's reason if it aborts
 */
export type Perform = (resource: () => Resource, overdue?: () => void) => Promise<Answer>;

/** Performs an account's operations as the quota allows. Only this class handles exchanges. */
export class Operations {
  readonly #options: OperationsOptions;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** Resolves when a request may be sent, with the function that sends it, which must be called. Rejects when the signal aborts. */
  async turn(request: QueuedRequest, signal: AbortSignal): Promise<Perform> {
    const { queue, turns, timeoutMs } = this.#options;
    const over = await queue.turn(request, signal);
    return async (resource, overdue = () => undefined) => {
      let answer: Answer;
      try {
        await turns?.departures.turn();
        answer = await watched(this.readAtOnce(resource(), signal), timeoutMs, overdue);
      } catch (failure) {
        // If a platform hangs, the requests of hundreds of accounts end at the same moment.
        await turns?.arrivals.turn();
        throw failure;
      } finally {
        over();
      }
      await turns?.arrivals.turn();
      return answer;
    };
  }

  /** Returns a read for operations outside jobs: all equally urgent, none paced. @param usual default group */
  readFor(usual: string): Read {
    return async (resource, signal, group = usual) => {
      const now = this.#options.clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      const perform = await this.turn(request, signal);
      return perform(resource);
    };
  }

  /** Reads without queueing, for callers that have had their turn or respect the quota themselves. @throws as {@link Perform} */
  async readAtOnce(resource: Resource, signal: AbortSignal): Promise<Answer> {
    const exchanges = this.#options.send(resource, signal);
    for (;;) {
      const { done, value } = await exchanges.next();
      if (done === true) return value;
      this.take(value);
    }
  }

  /** Handles an exchange before another request of the account can be sent. */
  take(info: ExchangeInfo): void {
    const { account, platform, observer } = this.#options;
    const observed = platform.observe(info);
    observer?.exchanged(account, info, observed);
  }
}

/** Number of scrapes in progress. */
type Scrapes = Readonly<Pick<Exposition, 'scrapes'>>;

/** Admits one caller per turn of the event loop, in order, and none during a scrape: all callers at once would block the loop. */
class OnePerTurn {
  readonly #exposition: Scrapes;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(exposition: Scrapes) {
    this.#exposition = exposition;
  }

  /** Resolves when the caller may continue; returns undefined if it may continue at once. */
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
 * Spreads the work of all accounts over turns of the event loop, since a platform may answer hundreds of accounts at once. It does
 * not limit requests in flight, so an account that hangs delays no other.
 */
export class Turns {
  /** Turns for sending requests. */
  readonly departures: OnePerTurn;
  /** Turns for handling answers, which takes some milliseconds each. */
  readonly arrivals: OnePerTurn;
  /** Limits that the platform counts by the client's address. */
  readonly limits = new SharedLimits();

  /** @param exposition source of the number of scrapes, during which all turns wait; default: none */
  constructor(exposition: Scrapes = { scrapes: 0 }) {
    this.departures = new OnePerTurn(exposition);
    this.arrivals = new OnePerTurn(exposition);
  }
}

/** Time (ms) beyond its deadline after which a part of a poll is reported. */
const GRACE_MS = 1_000;

/** Time (ms) for work that became due while the event loop was blocked. */
const SETTLING_MS = 100;

/**
 * Calls `report` if a part of a poll exceeds its deadline by more than a second, since the deadline then does not work. It
 * measures real time, as the deadlines do.
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
