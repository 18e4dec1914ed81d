import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../exposition/store.ts';
import { TOLERATED_SECONDS } from '../judgement/tally.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import { runInSlices } from '../slices.ts';
import type { Exposure, Job } from './job.ts';
import type { ScheduledJob } from './schedule.ts';

export interface ExposedResultsOptions {
  readonly account: string;
  readonly clock: Clock;
  readonly forecast: Pick<DemandForecast, 'intervalOf' | 'plannedIntervalOf'>;
  readonly store: Pick<Store, 'publish' | 'withdraw'>;
  /** Whether `/metrics` is to have a sample. */
  readonly exposes: (sample: Sample) => boolean;
  /** Least time (ms) for which samples are exposed without being renewed. */
  readonly staleAfter: number;
}

/** What is said to be in time is not withdrawn. */
const TOLERATED_MS = TOLERATED_SECONDS * 1_000;

/** What an account's polls expose: each part until the next poll replaces it, it becomes stale, or its job goes. */
export class ExposedResults {
  readonly #options: ExposedResultsOptions;
  /** By owner: its job, and the end (ms) of the newest bucket exposed. */
  readonly #shown = new Map<string, { readonly until: number; readonly job: Job }>();
  #isUp = false;

  constructor(options: ExposedResultsOptions) {
    this.#options = options;
  }

  /** Exposes what a job found, replacing part by part. */
  expose({ job, exposed }: ScheduledJob, exposures: readonly Exposure[]): void {
    const { account, clock, store, exposes } = this.#options;
    const source = job.follows ?? job;
    const now = clock.now();
    const until = now + this.#lifetime(source);
    for (const { part, samples, dataAgeMs } of exposures) {
      const owner = `${account}/${source.id}/${part}`;
      exposed.add(owner);
      if (dataAgeMs === undefined) this.#shown.delete(owner);
      else this.#shown.set(owner, { until: now - dataAgeMs, job: source });
      if (dataAgeMs !== undefined && this.#staleFor(source, now - dataAgeMs) > TOLERATED_MS)
        this.#withdraw(owner);
      else store.publish(owner, samples.filter(exposes), until);
    }
  }

  /** Stops exposing what a job has exposed. */
  withdraw({ exposed }: ScheduledJob): void {
    for (const owner of exposed) this.#withdraw(owner);
  }

  /** While the platform is down its last data stays, since `edge_up` shows that; once it is up, stale data goes. */
  platformIs(up: boolean): void {
    const wasUp = this.#isUp;
    this.#isUp = up;
    if (up && !wasUp) void runInSlices(this.withdrawStale());
  }

  /** Withdraws what is stale while the platform is up, an owner a step, so that old data does not look new. */
  *withdrawStale(): Generator<undefined, void> {
    const { forecast } = this.#options;
    for (const [owner, { until, job }] of this.#shown) {
      if (!this.#isUp) return;
      // One poll may fail.
      if (this.#staleFor(job, until) > Math.max(TOLERATED_MS, forecast.intervalOf(job)))
        this.#withdraw(owner);
      yield;
    }
  }

  /** By how much (ms) data up to a time is older than it should be. */
  #staleFor(job: Job, until: number): number {
    const { clock, forecast } = this.#options;
    const expected = job.expectedAge?.(forecast.plannedIntervalOf(job)) ?? Number.POSITIVE_INFINITY;
    return clock.now() - until - expected;
  }

  #withdraw(owner: string): void {
    this.#shown.delete(owner);
    this.#options.store.withdraw(owner);
  }

  /** How long (ms) samples are exposed without being renewed: until well after the next poll should have done so. */
  #lifetime(job: Job): number {
    const { staleAfter, forecast } = this.#options;
    return Math.max(staleAfter, 3 * forecast.intervalOf(job));
  }
}
