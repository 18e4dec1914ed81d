import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { PollIntervals } from '../rate-limit/poll-intervals.ts';
import { learn } from '../settling/learned.ts';
import { type AccountMemory, changed } from '../state/account-memory.ts';
import { LONGEST_COMMIT_MS, type StateEntry, StateWriteFailure } from '../state/state.ts';
import { BLANK, type Ending, type Exposure, failed, type Job, type PollEnd, type PollResult } from './job.ts';
import type { Reachability } from './observed-platform.ts';
import { type OperationObserver, type Operations, watched } from './operations.ts';
import type { ScheduledJob } from './schedule.ts';

/** Observer of polls, for metrics and logs. */
export interface PollObserver extends OperationObserver {
  /** Reports the time (ms) that a request waited for its turn. */
  departed(account: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
  /** Reports that the state refused to commit a poll's result; a later poll reads it again. */
  commitRefused(account: string, job: Job, failure: StateWriteFailure): void;
  /** Reports a bug in the exporter: a part of a poll exceeds its deadline. */
  overdue(account: string, job: Job, part: PollPart): void;
  /** Reports a bug in the exporter: a poll failed in a way that no platform can cause. */
  defect(account: string, job: Job | undefined, error: unknown): void;
}

/** Commits the entries and the pushed samples of a poll together. @throws StateWriteFailure if nothing is durable */
export type Commit = (found: {
  readonly entries: readonly StateEntry[];
  readonly samples: readonly TimedSample[];
  /** Owner of the samples. */
  readonly source: string;
}) => Promise<void>;

/** Parts of a poll that have a deadline: a request, and the conclusion with its commit. */
export type PollPart = 'request' | 'conclusion';

export interface RunnerOptions {
  readonly account: string;
  readonly clock: Clock;
  readonly operations: Pick<Operations, 'turn'>;
  readonly reachability: Pick<Reachability, 'polled'>;
  readonly intervals: Pick<PollIntervals, 'of'>;
  readonly commit: Commit;
  readonly memory: AccountMemory;
  readonly exposed: { expose(job: Job, exposures: readonly Exposure[]): void };
  readonly observer: PollObserver;
}

/** Runs polls: reads, commits, adopts, exposes and reports. Only this class acts on the results of jobs. */
export class PollRunner {
  readonly #options: RunnerOptions;
  /** Last conclusion by job, which the next one waits for. A follower shares that of its job. */
  readonly #concluding = new Map<string, Promise<unknown>>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /**
   * Polls once. Any failure becomes the poll's outcome, and affects no other poll.
   * @returns the finished poll; undefined if the job was stopped
   */
  async run(scheduled: ScheduledJob): Promise<PollEnd | undefined> {
    const { account, clock, reachability, observer } = this.#options;
    const ending = await this.#poll(scheduled).catch((error: unknown) => this.#endingOf(scheduled, error));
    if (scheduled.signal.aborted) return undefined;
    const end = scheduled.end(clock.now(), ending);
    reachability.polled(end);
    observer.polled(account, end);
    return end;
  }

  async #poll(scheduled: ScheduledJob): Promise<Ending> {
    const { account, observer } = this.#options;
    const { job, signal } = scheduled;
    const answer = await answerOf(job, this.#readFor(scheduled), signal);
    const { id } = job.follows ?? job;
    const before = this.#concluding.get(id);
    const concluding = Promise.resolve(before?.catch(() => undefined)).then(async () =>
      signal.aborted ? undefined : this.#take(scheduled, await job.conclude(answer)),
    );
    this.#concluding.set(id, concluding);
    try {
      const overdue = () => observer.overdue(account, job, 'conclusion');
      return (await watched(concluding, LONGEST_COMMIT_MS, overdue)) ?? BLANK;
    } finally {
      if (this.#concluding.get(id) === concluding) this.#concluding.delete(id);
    }
  }

  /** Returns a read for one poll. Each of its operations waits for its turn. */
  #readFor(scheduled: ScheduledJob): Read {
    const { account, clock, operations, intervals, observer } = this.#options;
    const { job } = scheduled;
    return async (resource, signal, group = job.group) => {
      const request = {
        group,
        notBefore: scheduled.dueAt ?? clock.now(),
        weight: job.weight,
        since: scheduled.since,
        plannedIntervalMs: () => intervals.of(job).careful,
      };
      scheduled.request ??= request;
      const perform = await operations.turn(request, signal);
      const now = clock.now();
      scheduled.start(now);
      observer.departed(account, now - request.notBefore);
      return perform(resource, () => observer.overdue(account, job, 'request'));
    };
  }

  async #take(scheduled: ScheduledJob, result: PollResult): Promise<Ending> {
    const committed = await this.#commit(scheduled.job, result);
    if (scheduled.signal.aborted) return BLANK;
    adopt(this.#options.memory, result, committed);
    this.#options.exposed.expose(scheduled.job, result.exposures(committed));
    const { outcome, rejected, failure } = result;
    const ending = failure === undefined ? { ...BLANK, outcome, rejected } : failed(failure);
    return { ...ending, result, committed };
  }

  /** Commits the result of a poll. Returns true if it is durable, or if there was nothing to commit. */
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

/** Returns the answer to a job's read, or its failure. */
export function answerOf(job: Job, read: Read, signal: AbortSignal): Promise<unknown> {
  return job.read(read, signal).catch((error: unknown) => {
    if (error instanceof PlatformFailure) return error;
    throw error;
  });
}

/** Adopts the result of a poll into the account's memory. @param committed true if the commit is durable */
export function adopt(
  memory: AccountMemory,
  { memory: changes = [], learned = [] }: PollResult,
  committed: boolean,
): void {
  for (const change of changes) memory.adopt(change, committed);
  for (const { metric, evidence } of learned)
    memory.adopt(changed(metric.part, learn(memory.of(metric.part), evidence)), committed);
}
