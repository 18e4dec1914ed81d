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

/**
 * What an account exposes. What a poll found stays until the next poll replaces it, part by part, until it is stale, or its job
 * goes. After a reload restarts the account, what was exposed stays until it is polled again, expires, or
 * turns out not to be in the new configuration.
 *
 * Owners are named `<account>/<id of a job>/<part>`, or `<account>/<part>` for what is exposed of the account itself.
 */
export class AccountStore {
  readonly #options: Omit<AccountStoreOptions, 'held' | 'isSameAccess'>;
  /** Owners left by the former account that this one has not replaced yet. */
  readonly #held: Set<string>;
  /** What the former one has left of the account itself. */
  readonly #heldParts: HeldParts | undefined;
  readonly #parts = new Map<string, Published>();
  readonly #withLabels: ReturnType<typeof withLabels>;
  /** By owner: its job, and the end (platform ms) of the newest bucket exposed. */
  readonly #shown = new Map<string, { readonly until: number; readonly job: Job }>();
  /** The age (ms) that the data of each job reaches when all is well, as of its last poll. */
  readonly #expectedAges = new WeakMap<Job, number | undefined>();
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
  expose({ job, exposed }: ScheduledJob, exposures: readonly Exposure[]): void {
    const { config, platformClock, intervals, store, outlet } = this.#options;
    const source = job.follows ?? job;
    const { usual, planned } = intervals.of(source);
    const { skewMs } = platformClock;
    const localNow = platformClock.localNow();
    // Until well after the next poll should have renewed them.
    const until = localNow + Math.max(config.stale_after, 3 * usual);
    const expectedAge = source.expectedAge?.(planned, localNow + skewMs);
    this.#expectedAges.set(source, expectedAge);
    const oldest = localNow + skewMs - (expectedAge ?? Number.POSITIVE_INFINITY) - TOLERATED_MS;
    const found: (readonly [owner: string, samples: readonly Sample[], until: number])[] = [];
    for (const { part, samples, dataUntil, lasts } of exposures) {
      const owner = `${config.name}/${source.id}/${part}`;
      exposed.add(owner);
      if (dataUntil === undefined) this.#shown.delete(owner);
      else this.#shown.set(owner, { until: dataUntil, job: source });
      if (dataUntil !== undefined && dataUntil < oldest) this.#withdraw(owner);
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

  /** Stops exposing what a job has exposed. */
  withdraw({ exposed }: ScheduledJob): void {
    for (const owner of exposed) this.#withdraw(owner);
  }

  /** The age (ms) that the data of a job reaches when all is well, as of its last poll; undefined where it is not known. */
  expectedAge(job: Job): number | undefined {
    return this.#expectedAges.get(job);
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
    for (const [owner, { until, job }] of this.#shown) {
      if (!this.#isUp) return;
      const { usual, planned } = intervals.of(job);
      const now = platformClock.localNow() + platformClock.skewMs;
      const expectedAge = job.expectedAge?.(planned, now) ?? Number.POSITIVE_INFINITY;
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

  /** Withdraws what is held over of all other jobs, an owner a step. */
  *keep(jobs: readonly Job[]): Generator<undefined, void> {
    if (this.#held.size === 0) return;
    const ids = new Set(jobs.map(({ id }) => id));
    for (const owner of this.#held) {
      if (!ids.has(this.#within(owner).replace(/\/[^/]*$/, ''))) {
        this.#held.delete(owner);
        this.#options.store.withdraw(owner);
      }
      yield;
    }
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
