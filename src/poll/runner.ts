import type { Sample, TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../exposition/store.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Answer, Read, Resource } from '../platform/read.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import { LONGEST_COMMIT_MS, type StateEntry, StateWriteFailure } from '../state/state.ts';
import type { Departures } from './departures.ts';
import type { Job } from './job.ts';
import { BLANK, type Ending, failed, type PollEnd } from './poll-end.ts';
import type { Exposure, PollResult } from './result.ts';
import type { ScheduledJob } from './scheduled-job.ts';
import { watched } from './watchdog.ts';

/** Receives the results of polls. */
export interface PollListener {
  readonly polled: (end: PollEnd) => void;
  /** The state refused to commit what a poll found: it is counted, or found changed, by a later poll. */
  readonly commitRefused: (job: Job, failure: StateWriteFailure) => void;
  /** A bug in the exporter: a part of a poll has gone on for longer than its deadline allows, and still does. */
  readonly overdue: (job: Job, part: PollPart) => void;
  /** A bug in the exporter: a poll failed in a way that no platform can cause. */
  readonly defect: (job: Job, error: unknown) => void;
}

/** Makes durable, as a whole, what was found and what is to be pushed of it. @throws StateWriteFailure when nothing of it is */
export type Commit = (found: {
  readonly entries: readonly StateEntry[];
  readonly samples: readonly TimedSample[];
  /** Whose samples they are. */
  readonly source: string;
}) => Promise<void>;

/** The parts of a poll that have a deadline: a request, and taking in what was read. */
export type PollPart = 'request' | 'conclusion';

export interface RunnerOptions extends PollListener {
  readonly account: string;
  readonly clock: Clock;
  readonly queue: RequestQueue;
  readonly forecast: DemandForecast;
  /** Performs an operation whose turn has come. */
  readonly exchange: (resource: Resource, signal: AbortSignal) => Promise<Answer>;
  /** Within which `exchange` ends. */
  readonly requestTimeoutMs: number;
  readonly departures: Departures;
  readonly commit: Commit;
  readonly store: Pick<Store, 'publish' | 'withdraw'>;
  /** Whether `/metrics` is to have a sample. */
  readonly exposes: (sample: Sample) => boolean;
  /** How long (ms) samples are exposed at least without being renewed. */
  readonly staleAfter: number;
}

/** Runs polls: reads, commits what was found, exposes it and reports it. The one place that acts on results. */
export class PollRunner {
  readonly #options: RunnerOptions;
  /** The last conclusion of each job: those of a job and of its follow-ups come one after the other. */
  readonly #concluding = new Map<string, Promise<unknown>>();
  /** Until when (ms) what is exposed tells of the platform, and whose it is, by owner. */
  readonly #shown = new Map<string, { readonly until: number; readonly job: Job }>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Polls once. Any failure becomes the poll's outcome and affects no other poll; it never rejects. */
  async run(scheduled: ScheduledJob): Promise<void> {
    const { clock, polled, defect } = this.#options;
    const { job, signal } = scheduled;
    try {
      const ending = await this.#poll(scheduled).catch((error: unknown) => this.#endingOf(scheduled, error));
      if (signal.aborted) return;
      const now = clock.now();
      scheduled.end(now, ending);
      const { operations, firstOperationAt = now } = scheduled;
      polled({ job, ...ending, operations, durationMs: now - firstOperationAt });
    } catch (error) {
      defect(job, error);
    } finally {
      scheduled.rest(clock.now());
    }
  }

  /** Stops exposing what a job has exposed. */
  withdraw({ exposed }: ScheduledJob): void {
    for (const owner of exposed) this.#withdraw(owner);
  }

  /** Stops exposing what has become stale: to be called while the platform is up, so that nothing old seems to be new. */
  withdrawStale(): void {
    const { forecast } = this.#options;
    for (const [owner, { until, job }] of this.#shown) {
      // One poll may fail.
      if (this.#staleFor(job, until) > forecast.intervalOf(job)) this.#withdraw(owner);
    }
  }

  /** For how long (ms) data up to a time has been older than it should be. */
  #staleFor(job: Job, until: number): number {
    const { clock, forecast } = this.#options;
    const expected = job.expectedAge?.(forecast.intervalOf(job)) ?? Number.POSITIVE_INFINITY;
    return clock.now() - until - expected;
  }

  #withdraw(owner: string): void {
    this.#shown.delete(owner);
    this.#options.store.withdraw(owner);
  }

  async #poll(scheduled: ScheduledJob): Promise<Ending> {
    const { job, signal } = scheduled;
    const answer = await job.read(this.#readFor(scheduled), signal);
    const { id } = job.follows ?? job;
    const before = this.#concluding.get(id);
    const concluding = Promise.resolve(before?.catch(() => undefined)).then(() =>
      signal.aborted ? undefined : this.#take(scheduled, job.conclude(answer)),
    );
    this.#concluding.set(id, concluding);
    try {
      const overdue = () => this.#options.overdue(job, 'conclusion');
      return (await watched(concluding, LONGEST_COMMIT_MS, overdue)) ?? BLANK;
    } finally {
      if (this.#concluding.get(id) === concluding) this.#concluding.delete(id);
    }
  }

  async #take(scheduled: ScheduledJob, result: PollResult): Promise<Ending> {
    const committed = await this.#commit(scheduled.job, result);
    if (scheduled.signal.aborted) return BLANK;
    for (const exposure of result.adopt(committed)) this.#expose(scheduled, exposure);
    const { outcome, rejected, failure } = result;
    const ending = failure === undefined ? { ...BLANK, outcome, rejected } : failed(failure);
    return { ...ending, result, committed };
  }

  /** Without anything to commit it counts as committed. */
  async #commit(job: Job, { commit: entries = [], timed: samples = [] }: PollResult): Promise<boolean> {
    if (entries.length + samples.length === 0) return true;
    const { account, commit } = this.#options;
    try {
      await commit({ entries, samples, source: `${account}/${(job.follows ?? job).id}` });
      return true;
    } catch (error) {
      if (!(error instanceof StateWriteFailure)) throw error;
      this.#options.commitRefused(job, error);
      return false;
    }
  }

  #expose(scheduled: ScheduledJob, { part, samples, dataAgeMs }: Exposure): void {
    const { account, clock, store, exposes } = this.#options;
    const source = scheduled.job.follows ?? scheduled.job;
    const owner = `${account}/${source.id}/${part}`;
    const now = clock.now();
    scheduled.exposed.add(owner);
    if (dataAgeMs === undefined) this.#shown.delete(owner);
    else this.#shown.set(owner, { until: now - dataAgeMs, job: source });
    if (dataAgeMs !== undefined && this.#staleFor(source, now - dataAgeMs) > 0) this.#withdraw(owner);
    else store.publish(owner, samples.filter(exposes), now + this.#lifetime(source));
  }

  /** How long (ms) samples are exposed without being renewed: until well after the next poll should have done so. */
  #lifetime(job: Job): number {
    const { staleAfter, forecast } = this.#options;
    return Math.max(staleAfter, 3 * forecast.intervalOf(job));
  }

  #endingOf({ job, signal }: ScheduledJob, error: unknown): Ending {
    if (signal.aborted) return BLANK;
    if (error instanceof PlatformFailure) return failed(error);
    this.#options.defect(job, error);
    return { ...BLANK, outcome: 'undecodable', reason: 'a bug in the exporter, see its log' };
  }

  /** A read for one poll: each of its operations waits for its turn. */
  #readFor(scheduled: ScheduledJob): Read {
    const { clock, queue, forecast, departures, exchange, requestTimeoutMs, overdue } = this.#options;
    const { job } = scheduled;
    return async (resource, signal) => {
      const request = {
        group: job.group,
        notBefore: scheduled.dueAt ?? clock.now(),
        weight: job.weight,
        since: scheduled.since,
        plannedIntervalMs: () => forecast.intervalOf(job),
      };
      scheduled.request ??= request;
      const over = await queue.turn(request, signal);
      scheduled.start(clock.now());
      try {
        await departures.turn();
        const exchanging = exchange(resource(), signal);
        return await watched(exchanging, requestTimeoutMs, () => overdue(job, 'request'));
      } finally {
        over();
      }
    };
  }
}
