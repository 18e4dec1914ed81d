import type { Labels, Sample } from '../catalogue/family.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { TOLERATED_SECONDS } from '../judgement/tally.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Exposure, Job } from '../poll/job.ts';
import type { ScheduledJob } from '../poll/schedule.ts';
import type { PollIntervals } from '../rate-limit/poll-intervals.ts';
import { runInSlices } from '../slices.ts';
import { type HeldOver, HeldParts, type Published } from './held-over.ts';

interface AccountStoreOptions {
  readonly config: Pick<AccountConfig, 'name' | 'labels' | 'stale_after' | 'collectors' | 'credentials'>;
  readonly store: Pick<Store, 'publish' | 'withdraw'>;
  readonly platformClock: Pick<PlatformClock, 'skewMs' | 'localNow'>;
  readonly intervals: Pick<PollIntervals, 'of'>;
  /** Where samples are pushed to, in place of being exposed. */
  readonly outlet: { readonly pushed: { exposes(sample: Sample): boolean } | undefined };
  /** What the account of before has left. */
  readonly held?: HeldOver | undefined;
  /** Whether that was of the same token or login. */
  readonly isSameAccess?: boolean;
}

/** The judgement's tolerance: data that it calls in time is not withdrawn. */
const TOLERATED_MS = TOLERATED_SECONDS * 1_000;

/** The newest bucket that an owner shows. */
interface Shown {
  readonly until: number;
  readonly job: Job;
  readonly metric: string | undefined;
}

/**
 * What an account exposes. What a poll found stays until the next poll replaces it, part by part, until it is stale, or its job
 * goes. After a reload restarts the account, what was exposed stays until it is polled again, expires, or
 * turns out not to be in the new configuration.
 *
 * Owners are named `<account>/<id of a job or series>/<part>`, or `<account>/<part>` for what is exposed of the account itself.
 */
export class AccountStore {
  readonly #options: Omit<AccountStoreOptions, 'held' | 'isSameAccess'>;
  /** Owners left by the former account that this one has not replaced yet. */
  readonly #held: Set<string>;
  /** What the former one has left of the account itself. */
  readonly #heldParts: HeldParts | undefined;
  readonly #parts = new Map<string, Published>();
  readonly #withLabels: ReturnType<typeof withLabels>;
  /** By owner: its job and metric, and the end (platform ms) of the newest bucket exposed. */
  readonly #shown = new Map<string, Shown>();
  /** Owners of each job or series, by its id. */
  readonly #owners = new Map<string, Set<string>>();
  #isUp = false;
  #isHandingOver = false;

  constructor({ held, isSameAccess = false, ...options }: AccountStoreOptions) {
    this.#options = options;
    this.#withLabels = withLabels(options.config.labels);
    this.#held = new Set(held?.owners);
    this.#heldParts = held && new HeldParts(held.parts, options.config, isSameAccess);
    for (const [owner, { samples, until }] of this.#heldParts ?? [])
      options.store.publish(owner, samples, until);
  }

  /** Exposes a part of the account itself. */
  publish(owner: string, samples: readonly Sample[], until: number): void {
    const labelled = this.#withLabels(samples);
    const beside = this.#heldParts?.beside(owner, labelled, this.#options.platformClock.localNow());
    const all = [...labelled, ...(beside ?? [])];
    this.#parts.set(owner, { samples: all, until });
    this.#options.store.publish(owner, all, until);
  }

  /** Exposes what a job found, replacing part by part. */
  expose({ job }: Pick<ScheduledJob, 'job'>, exposures: readonly Exposure[]): void {
    const { config, platformClock, intervals, store, outlet } = this.#options;
    const source = job.follows ?? job;
    const { usual, planned } = intervals.of(source);
    const { skewMs } = platformClock;
    const localNow = platformClock.localNow();
    // Until well after the next poll should have renewed them.
    const until = localNow + Math.max(config.stale_after, 3 * usual);
    const oldest = new Map<string | undefined, number>();
    const oldestOf = (metric: string | undefined): number => {
      const expectedAge = source.expectedAge?.(planned, localNow + skewMs, metric);
      const time = localNow + skewMs - (expectedAge ?? Number.POSITIVE_INFINITY) - TOLERATED_MS;
      oldest.set(metric, time);
      return time;
    };
    const found: (readonly [owner: string, samples: readonly Sample[], until: number])[] = [];
    for (const { part, samples, dataUntil, lasts, series } of exposures) {
      const { id } = series ?? source;
      const metric = series?.metric;
      const owner = `${config.name}/${id}/${part}`;
      const mine = this.#owners.get(id) ?? new Set();
      this.#owners.set(id, mine.add(owner));
      if (dataUntil === undefined) this.#shown.delete(owner);
      else this.#shown.set(owner, { until: dataUntil, job: source, metric });
      if (dataUntil !== undefined && dataUntil < (oldest.get(metric) ?? oldestOf(metric)))
        this.#withdraw(owner);
      else
        found.push([
          owner,
          this.#withLabels(samples.filter((sample) => outlet.pushed?.exposes(sample) ?? true)),
          lasts === true ? Number.POSITIVE_INFINITY : until,
        ]);
    }
    for (const [owner] of found) this.#held.delete(owner);
    for (const [owner, samples, end] of found) store.publish(owner, samples, end);
  }

  /** Stops exposing all but what these jobs and series have exposed, or the former account for them. @param ids of them */
  keep(ids: ReadonlySet<string>): void {
    for (const [id, owners] of this.#owners) {
      if (ids.has(id)) continue;
      this.#owners.delete(id);
      for (const owner of owners) this.#withdraw(owner);
    }
    if (this.#isHandingOver) return;
    for (const owner of this.#held) {
      if (ids.has(this.#within(owner).replace(/\/[^/]*$/, ''))) continue;
      this.#held.delete(owner);
      this.#options.store.withdraw(owner);
    }
  }

  /** While the platform is down its last data stays, since `edge_up` shows that; once it is up, stale data goes. */
  platformIs(up: boolean): void {
    const wasUp = this.#isUp;
    this.#isUp = up;
    if (up && !wasUp) void runInSlices(this.withdrawStale());
  }

  /** Withdraws what is stale while the platform is up, an owner a step, so that old data does not look new. */
  *withdrawStale(): Generator<undefined, void> {
    const { platformClock, intervals } = this.#options;
    for (const [owner, { until, job, metric }] of this.#shown) {
      if (!this.#isUp) return;
      const { usual, planned } = intervals.of(job);
      const now = platformClock.localNow() + platformClock.skewMs;
      const expectedAge = job.expectedAge?.(planned, now, metric) ?? Number.POSITIVE_INFINITY;
      // One poll may fail.
      if (now - until - expectedAge > Math.max(TOLERATED_MS, usual)) this.#withdraw(owner);
      yield;
    }
  }

  /** Stops exposing a part of the account itself. */
  withdrawPart(owner: string): void {
    // What is exposed of the account itself is held over as it is.
    if (!this.#isHandingOver) this.#options.store.withdraw(owner);
  }

  #withdraw(owner: string): void {
    this.#shown.delete(owner);
    if (this.#isHandingOver) this.#held.add(owner);
    else this.#options.store.withdraw(owner);
  }

  /** Freezes what is exposed: the account stops, and another takes its place. */
  handOver(): void {
    this.#isHandingOver = true;
  }

  /** What it leaves, once all its jobs have stopped. */
  heldOver(): HeldOver {
    return { owners: this.#held, parts: new Map([...(this.#heldParts ?? []), ...this.#parts]) };
  }

  /** An owner's name without that of the account. */
  #within(owner: string): string {
    return owner.slice(this.#options.config.name.length + 1);
  }
}

interface Labelled {
  readonly labels: Labels;
}

/** Adds an account's labels to samples, after their own, which win. Equal label objects stay equal, so their text is written once. */
export function withLabels(
  added: Labels,
): <Sample extends Labelled>(samples: readonly Sample[]) => readonly Sample[] {
  if (Object.keys(added).length === 0) return (samples) => samples;
  const known = new WeakMap<Labels, Labels>();
  const labelsOf = (labels: Labels): Labels => {
    const all = known.get(labels) ?? { ...labels, ...lackedBy(labels, added) };
    known.set(labels, all);
    return all;
  };
  return (samples) => samples.map((sample) => ({ ...sample, labels: labelsOf(sample.labels) }));
}

/** Those of the added labels that are not among these. */
function lackedBy(labels: Labels, added: Labels): Labels {
  return Object.fromEntries(Object.entries(added).filter(([name]) => (labels[name] ?? '') === ''));
}
