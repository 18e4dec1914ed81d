import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Exposition } from '../exposition/exposition.ts';
import { type Answer, type Outcome, PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import { HugeAnswerSlots, isLarge, LargeAnswers } from '../platform/response-body.ts';
import { SharedLimits } from '../rate-limit/assumed-limit.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import { learn } from '../settling/learned.ts';
import {
  type AccountMemory,
  changed,
  LONGEST_COMMIT_MS,
  type StateEntry,
  StateWriteFailure,
} from '../state/state.ts';
import { BLANK, type Ending, type Exposure, failed, type Job, type PollResult } from './job.ts';
import type { ScheduledJob } from './schedule.ts';

/** A finished poll. */
export interface PollEnd extends Ending {
  readonly job: Job;
  /** How the poll before ended; undefined for the first. */
  readonly before: Outcome | undefined;
  /** Operations that it performed; with none, it says nothing about the platform. */
  readonly operations: number;
  /** From when its first operation left (ms); 0 when none did. */
  readonly durationMs: number;
}

/** Receives what goes wrong in a poll apart from the platform's answers. */
export interface PollObserver {
  /** The state refused to commit what a poll found; a later poll finds it again. */
  commitRefused(account: string, job: Job, failure: StateWriteFailure): void;
  /** A bug in the exporter: a part of a poll still goes on after its deadline. */
  overdue(account: string, job: Job, part: PollPart): void;
  /** A bug in the exporter: a poll failed in a way that no platform can cause. */
  defect(account: string, job: Job, error: unknown): void;
}

/** Makes what was found, and what to push of it, durable as a whole. @throws StateWriteFailure when nothing is durable */
export type Commit = (found: {
  readonly entries: readonly StateEntry[];
  readonly samples: readonly TimedSample[];
  /** Whose samples they are. */
  readonly source: string;
}) => Promise<void>;

/** The parts of a poll that have a deadline: a request, and taking in what was read. */
export type PollPart = 'request' | 'conclusion';

export interface RunnerOptions {
  readonly account: string;
  readonly clock: Clock;
  readonly operations: Pick<Operations, 'perform'>;
  readonly forecast: Pick<DemandForecast, 'intervalsOf'>;
  readonly commit: Commit;
  readonly memory: AccountMemory;
  readonly exposed: { expose(scheduled: ScheduledJob, exposures: readonly Exposure[]): void };
  readonly observer: PollObserver;
  readonly polled: (end: PollEnd) => void;
}

/** Runs polls: reads, commits, adopts, exposes and reports. The only place that acts on results. */
export class PollRunner {
  readonly #options: RunnerOptions;
  /** The last conclusion of each job: those of a job and of its follow-ups come one after the other. */
  readonly #concluding = new Map<string, Promise<unknown>>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Polls once. Any failure becomes the poll's outcome and affects no other poll; it never rejects. */
  async run(scheduled: ScheduledJob): Promise<void> {
    const { account, clock, polled, observer } = this.#options;
    const { job, signal } = scheduled;
    try {
      const ending = await this.#poll(scheduled).catch((error: unknown) => this.#endingOf(scheduled, error));
      if (signal.aborted) return;
      const now = clock.now();
      const before = scheduled.lastOutcome;
      scheduled.end(now, ending);
      const { operations, firstOperationAt = now } = scheduled;
      polled({ job, before, ...ending, operations, durationMs: now - firstOperationAt });
    } catch (error) {
      observer.defect(account, job, error);
    } finally {
      scheduled.rest(clock.now());
    }
  }

  async #poll(scheduled: ScheduledJob): Promise<Ending> {
    const { account, observer } = this.#options;
    const { job, signal } = scheduled;
    const conclude = await conclusionOf(job, this.#readFor(scheduled), signal);
    const { id } = job.follows ?? job;
    const before = this.#concluding.get(id);
    const concluding = Promise.resolve(before?.catch(() => undefined)).then(() =>
      signal.aborted ? undefined : this.#take(scheduled, conclude()),
    );
    this.#concluding.set(id, concluding);
    try {
      const overdue = () => observer.overdue(account, job, 'conclusion');
      return (await watched(concluding, LONGEST_COMMIT_MS, overdue)) ?? BLANK;
    } finally {
      if (this.#concluding.get(id) === concluding) this.#concluding.delete(id);
    }
  }

  /** A read for one poll: each of its operations waits for its turn. */
  #readFor(scheduled: ScheduledJob): Read {
    const { account, clock, operations, forecast, observer } = this.#options;
    const { job } = scheduled;
    const progress = {
      started: () => scheduled.start(clock.now()),
      overdue: () => observer.overdue(account, job, 'request'),
    };
    return (resource, signal, group = job.group) => {
      const request = {
        group,
        notBefore: scheduled.dueAt ?? clock.now(),
        weight: job.weight,
        since: scheduled.since,
        plannedIntervalMs: () => forecast.intervalsOf(job).careful,
      };
      scheduled.request ??= request;
      return operations.perform(request, resource, signal, progress);
    };
  }

  async #take(scheduled: ScheduledJob, result: PollResult): Promise<Ending> {
    const committed = await this.#commit(scheduled.job, result);
    if (scheduled.signal.aborted) return BLANK;
    adopt(this.#options.memory, result, committed);
    this.#options.exposed.expose(scheduled, result.exposures(committed));
    const { outcome, rejected, failure } = result;
    const ending = failure === undefined ? { ...BLANK, outcome, rejected } : failed(failure);
    return { ...ending, result, committed };
  }

  /** Commits what a poll found. Returns whether it is durable, which it is if there was nothing to commit. */
  async #commit(job: Job, { commit: entries = [], timed: samples = [] }: PollResult): Promise<boolean> {
    if (entries.length + samples.length === 0) return true;
    const { account, commit, observer } = this.#options;
    try {
      await commit({ entries, samples, source: `${account}/${(job.follows ?? job).id}` });
      return true;
    } catch (error) {
      if (!(error instanceof StateWriteFailure)) throw error;
      observer.commitRefused(account, job, error);
      return false;
    }
  }

  #endingOf({ job, signal }: ScheduledJob, error: unknown): Ending {
    if (signal.aborted) return BLANK;
    if (error instanceof PlatformFailure) return failed(error);
    this.#options.observer.defect(this.#options.account, job, error);
    return { ...BLANK, outcome: 'undecodable', reason: 'a bug in the exporter, see its log' };
  }
}

/** Reads, and returns a function that concludes, to be called once earlier polls have been adopted. */
export function conclusionOf(job: Job, read: Read, signal: AbortSignal): Promise<() => PollResult> {
  return job.read(read, signal).then(
    (answer) => () => job.conclude(answer),
    (error: unknown) => () => {
      const result = error instanceof PlatformFailure ? job.failed?.(error) : undefined;
      if (result === undefined) throw error;
      return result;
    },
  );
}

/** Puts what a poll found into the account's memory. @param committed whether what was to be committed is durable now */
export function adopt(
  memory: AccountMemory,
  { memory: change, learned }: PollResult,
  committed: boolean,
): void {
  if (change !== undefined) memory.adopt(change, committed);
  if (learned === undefined) return;
  const { part } = learned.metric;
  memory.adopt(changed(part, learn(memory.of(part), learned.evidence)), committed);
}

export interface OperationsOptions {
  readonly clock: Clock;
  readonly queue: Pick<RequestQueue, 'turn'>;
  /** Sends a request at once. */
  readonly exchange: (resource: Resource, signal: AbortSignal) => Promise<Answer>;
  /** Within which `exchange` ends. */
  readonly timeoutMs: number;
  /** Shared by all accounts; by default only the queue holds requests back. */
  readonly turns?: Turns | undefined;
}

/** What happens to an operation before it is over. */
interface OperationProgress {
  /** Its turn has come. */
  readonly started: () => void;
  /** It goes on for longer than its timeout allows. */
  readonly overdue: () => void;
}

const UNOBSERVED: OperationProgress = { started: () => undefined, overdue: () => undefined };

/** Performs an account's operations, each when the quota allows it. */
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
    // A large answer had its turn before it was parsed.
    if (!isLarge(answer.bytes)) await turns?.arrivals.turn();
    return answer;
  }

  /** Reads for operations that no job asks for: all equally urgent, none paced. */
  readFor(usual: string): Read {
    return (resource, signal, group = usual) => {
      const now = this.#options.clock.now();
      const request = { group, notBefore: now, weight: 1, since: now, plannedIntervalMs: () => 0 };
      return this.perform(request, resource, signal);
    };
  }
}

/** Whether a scrape waits for an answer. */
type Scrapes = Pick<Exposition, 'isAwaited'>;

/**
 * Lets one caller through per turn of the event loop, in order, and none while a scrape waits: all at once would block the
 * loop.
 */
class OnePerTurn {
  readonly #scrapes: Scrapes;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(scrapes: Scrapes) {
    this.#scrapes = scrapes;
  }

  /** Resolves when it may go on; undefined where it may at once. */
  turn(): Promise<void> | undefined {
    const waits = this.#isTaken || this.#scrapes.isAwaited;
    if (!this.#isTaken) this.#take();
    return waits ? new Promise((resolve) => this.#waiting.push(resolve)) : undefined;
  }

  #take(): void {
    this.#isTaken = true;
    setImmediate(() => {
      if (this.#waiting.length > 0 && this.#scrapes.isAwaited) return this.#take();
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
  readonly #places = new HugeAnswerSlots();

  /** @param scrapes whether one waits: then everything else does; none by default */
  constructor(scrapes: Scrapes = { isAwaited: false }) {
    this.departures = new OnePerTurn(scrapes);
    this.arrivals = new OnePerTurn(scrapes);
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
