import type { Labels, Sample } from '../catalogue/family.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { Store } from '../exposition/store.ts';
import { TOLERATED_SECONDS } from '../facts/job-facts.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import type { Exposure, Job } from '../poll/job.ts';
import type { PollIntervals } from '../rate-limit/poll-intervals.ts';

interface AccountStoreOptions {
  readonly config: Pick<AccountConfig, 'name' | 'labels' | 'stale_after'>;
  readonly store: Pick<Store, 'publish' | 'withdraw'>;
  readonly platformClock: Pick<PlatformClock, 'skewMs' | 'localNow'>;
  readonly intervals: Pick<PollIntervals, 'of'>;
  /** Push output; it decides which samples are exposed nevertheless. */
  readonly outlet: { readonly pushed: { exposes(sample: Sample): boolean } | undefined };
  /** Owners whose samples the account before a reload left exposed; undefined after a start. */
  readonly held?: HeldOver | undefined;
}

/** Owners in the store whose samples stay exposed while a reload replaces their account. */
export type HeldOver = ReadonlySet<string>;

/** Tolerance (ms) beyond the expected age before data is withdrawn, as for lateness in the facts. */
const TOLERATED_MS = TOLERATED_SECONDS * 1_000;

/** Least lifetime (ms) of samples of the account itself, which are renewed every minute. */
const LEAST_LIFETIME_MS = 3 * 60_000;

/** Newest bucket that the samples of an owner show. */
interface Shown {
  readonly until: number;
  readonly job: Job;
  readonly metric: string | undefined;
}

/**
 * Samples that an account exposes. Samples of a poll stay until the next poll replaces them, part by part, until they are stale,
 * or until their job goes. After a reload, samples of the former account stay until the new account replaces them, or has no such
 * job. Owners are named `<account>/<id of a job or series>/<part>`, or `<account>/<part>` for the account itself.
 */
export class AccountStore {
  readonly #options: Omit<AccountStoreOptions, 'held'>;
  /** Owners of the former account whose samples are not replaced yet. */
  readonly #held: Set<string>;
  /** Owners of the samples of the account itself. */
  readonly #parts = new Set<string>();
  readonly #withLabels: ReturnType<typeof withLabels>;
  /** Newest bucket exposed, by owner. */
  readonly #shown = new Map<string, Shown>();
  /** Owners of each job or series, by its id. */
  readonly #owners = new Map<string, Set<string>>();
  #isUp = false;
  #isHandingOver = false;

  constructor({ held = new Set(), ...options }: AccountStoreOptions) {
    this.#options = options;
    this.#withLabels = withLabels(options.config.labels);
    this.#held = new Set(held);
  }

  /** Exposes samples of the account itself. They expire unless they are exposed again. */
  publish(part: string, samples: readonly Sample[]): void {
    const { config, store, platformClock } = this.#options;
    const owner = `${config.name}/${part}`;
    this.#parts.add(owner);
    this.#held.delete(owner);
    const lifetime = Math.max(config.stale_after, LEAST_LIFETIME_MS);
    store.publish(owner, this.#withLabels(samples), platformClock.localNow() + lifetime);
  }

  /** Exposes the results of a job. Each part replaces the former samples of that part. */
  expose(job: Job, exposures: readonly Exposure[]): void {
    const { config, platformClock, intervals, store, outlet } = this.#options;
    const source = job.follows ?? job;
    const localNow = platformClock.localNow();
    // Samples stay for three intervals, so that they outlast a late poll.
    const until = localNow + Math.max(config.stale_after, 3 * intervals.of(source).usual);
    const staleAge = this.#staleAges(() => TOLERATED_MS);
    for (const { part, samples, dataUntil, lasts, series } of exposures) {
      const { id } = series ?? source;
      const owner = `${config.name}/${id}/${part}`;
      this.#owners.set(id, (this.#owners.get(id) ?? new Set()).add(owner));
      const shown = { until: dataUntil ?? Number.POSITIVE_INFINITY, job: source, metric: series?.metric };
      if (dataUntil === undefined) this.#shown.delete(owner);
      else this.#shown.set(owner, shown);
      if (this.#platformNow - shown.until > staleAge(shown)) {
        this.#withdraw(owner);
        continue;
      }
      this.#held.delete(owner);
      const exposed = samples.filter((sample) => outlet.pushed?.exposes(sample) ?? true);
      store.publish(owner, this.#withLabels(exposed), lasts === true ? Number.POSITIVE_INFINITY : until);
    }
  }

  /** Withdraws the samples of all jobs and series but those with these ids. Samples of the former account are treated alike. */
  keep(ids: ReadonlySet<string>): void {
    for (const [id, owners] of this.#owners) {
      if (ids.has(id)) continue;
      this.#owners.delete(id);
      for (const owner of owners) this.#withdraw(owner);
    }
    if (this.#isHandingOver) return;
    for (const owner of this.#held) {
      const [, id] = /^(.*)\/[^/]*$/.exec(owner.slice(this.#options.config.name.length + 1)) ?? [];
      // Samples of the account itself are replaced by its first poll.
      if (id === undefined || ids.has(id)) continue;
      this.#held.delete(owner);
      this.#options.store.withdraw(owner);
    }
  }

  /** Records that the platform is up or down. Stale data is withdrawn once it is up; while it is down, `edge_up` shows that. */
  platformIs(up: boolean): void {
    const wasUp = this.#isUp;
    this.#isUp = up;
    if (up && !wasUp) this.withdrawStale();
  }

  /** Withdraws stale samples while the platform is up, so that old data does not look new. */
  withdrawStale(): void {
    if (!this.#isUp) return;
    const { intervals } = this.#options;
    // The tolerance covers one failed poll.
    const staleAge = this.#staleAges((job) => Math.max(TOLERATED_MS, intervals.of(job).usual));
    for (const [owner, shown] of this.#shown)
      if (this.#platformNow - shown.until > staleAge(shown)) this.#withdraw(owner);
  }

  /** Returns a function that gives the age (ms) above which data is stale, computed once for each metric of a job. */
  #staleAges(tolerated: (job: Job) => number): (shown: Shown) => number {
    const ages = new Map<Job, Map<string | undefined, number>>();
    return ({ job, metric }) => {
      const known = ages.get(job) ?? new Map<string | undefined, number>();
      ages.set(job, known);
      let age = known.get(metric);
      if (age === undefined) {
        const { planned } = this.#options.intervals.of(job);
        const expected = job.expectedAge?.(planned, this.#platformNow, metric) ?? Number.POSITIVE_INFINITY;
        age = expected + tolerated(job);
        known.set(metric, age);
      }
      return age;
    };
  }

  #withdraw(owner: string): void {
    this.#shown.delete(owner);
    if (this.#isHandingOver) this.#held.add(owner);
    else this.#options.store.withdraw(owner);
  }

  /** Freezes the exposed samples, since another account replaces this one. */
  handOver(): void {
    this.#isHandingOver = true;
  }

  /** Withdraws all samples, or leaves them to the account that replaces this one. */
  close(): void {
    this.keep(new Set());
    for (const owner of this.#parts) this.#withdraw(owner);
    if (this.#isHandingOver) return;
    for (const owner of this.#held) this.#options.store.withdraw(owner);
    this.#held.clear();
  }

  /** Returns the owners that are left to the next account, once this one is closed. */
  heldOver(): HeldOver {
    return this.#held;
  }

  get #platformNow(): number {
    const { platformClock } = this.#options;
    return platformClock.localNow() + platformClock.skewMs;
  }
}

interface Labelled {
  readonly labels: Labels;
}

/**
 * Returns a function that adds an account's labels to samples. A sample's own labels win. Equal label objects stay equal, so that
 * their text is written once.
 */
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

function lackedBy(labels: Labels, added: Labels): Labels {
  return Object.fromEntries(Object.entries(added).filter(([name]) => (labels[name] ?? '') === ''));
}
