import type { Clock } from '../clock.ts';
import { isLarge, LargeAnswers, Places } from '../platform/large-answers.ts';
import type { Answer, Read, Resource } from '../platform/read.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import { SharedAddresses } from '../rate-limit/limit-scopes.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';

export interface OperationsOptions {
  readonly clock: Clock;
  readonly queue: Pick<RequestQueue, 'turn'>;
  /** Sends a request at once. */
  readonly exchange: (resource: Resource, signal: AbortSignal) => Promise<Answer>;
  /** Within which `exchange` ends. */
  readonly timeoutMs: number;
  /** Shared by all accounts; default: nothing but the queue holds a request back, and nothing an answer. */
  readonly turns?: Turns | undefined;
}

/** What happens to an operation before it is over. */
export interface OperationProgress {
  /** Its turn has come. */
  readonly started: () => void;
  /** It goes on for longer than its timeout allows. */
  readonly overdue: () => void;
}

const UNOBSERVED: OperationProgress = { started: () => undefined, overdue: () => undefined };

/** Performs the operations of an account, each when its turn under the quota has come. */
export class Operations {
  readonly #options: OperationsOptions;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts */
  async perform(
    request: QueuedRequest,
    resource: () => Resource,
    signal: AbortSignal,
    { started, overdue }: OperationProgress = UNOBSERVED,
  ): Promise<Answer> {
    const { queue, turns, exchange, timeoutMs } = this.#options;
    const over = await queue.turn(request, signal);
    started();
    let answer: Answer;
    try {
      await turns?.departures.turn();
      answer = await watched(exchange(resource(), signal), timeoutMs, overdue);
    } finally {
      over();
    }
    // A large one had its turn before it was parsed, and is used at once.
    if (!isLarge(answer.bytes)) await turns?.arrivals.turn();
    return answer;
  }

  /** Reads for operations of a group that no job asks for: all are equally urgent, and none is paced. */
  readFor(usual: string): Read {
    return (resource, signal, group = usual) => {
      const now = this.#options.clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      return this.perform(request, resource, signal);
    };
  }
}

/**
 * Lets one through in each turn of the event loop, in the order in which they came, so that what each of them goes on
 * to do does not add up to a turn in which nothing is served, and none while something more urgent is to be done.
 */
export class OnePerTurn {
  readonly #isHeld: () => boolean;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(isHeld: () => boolean) {
    this.#isHeld = isHeld;
  }

  /** Resolves when it may go on; undefined where it may at once. */
  turn(): Promise<void> | undefined {
    const waits = this.#isTaken || this.#isHeld();
    if (!this.#isTaken) this.#take();
    return waits ? new Promise((resolve) => this.#waiting.push(resolve)) : undefined;
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      if (this.#waiting.length > 0 && this.#isHeld()) return this.#take();
      const next = this.#waiting.shift();
      this.#isTaken = next !== undefined;
      if (next === undefined) return;
      this.#take();
      next();
    });
  }
}

/**
 * What the requests of all accounts do in one turn of the event loop. A platform may answer hundreds of accounts at the
 * same moment, and what leaves together comes back together. Requests in flight are not limited, so an account that
 * hangs holds up no other.
 */
export class Turns {
  /** Requests that are sent. */
  readonly departures: OnePerTurn;
  /** Answers that are taken in, which takes some milliseconds each. */
  readonly arrivals: OnePerTurn;
  /** Who shares the limits that the platform counts by address. */
  readonly addresses = new SharedAddresses();
  readonly #places = new Places();

  /** @param isHeld whether they wait, since something else is urgent; nothing is by default */
  constructor(isHeld = () => false) {
    this.departures = new OnePerTurn(isHeld);
    this.arrivals = new OnePerTurn(isHeld);
  }

  /** How the large answers of one account take turns with all other answers. */
  largeAnswers(): LargeAnswers {
    return new LargeAnswers(this.#places, () => this.arrivals.turn());
  }
}

/** How much longer (ms) than its deadline a part of a poll may take before it is reported. */
const GRACE_MS = 1_000;

/** After an event loop that was blocked, what is due ends first (ms). */
const SETTLING_MS = 100;

/**
 * A part of a poll that has a deadline of its own: `report` is called when it goes on for a second longer, which means
 * that the deadline does not work. Real time, like the deadlines.
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
