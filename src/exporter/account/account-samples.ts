import type { Labels, Sample } from '../catalogue/family.ts';
import {
  EDGE_ACCOUNT_INFO,
  EDGE_EXPECTED_AGE,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_SOURCE_INFO,
  EDGE_SOURCE_MISSING_FIELD_INFO,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_TOKEN_RENEWAL_TIMESTAMP,
  PRODUCT_LISTED,
  UNMATCHED_CONFIGURATIONS,
  UNREAD_CONFIGURATIONS,
} from '../catalogue/platform-families.ts';
import { type Clock, wallAt } from '../clock.ts';
import { hasWhole } from '../cluster/shard.ts';
import type { MetricAge, SeriesJob } from '../series/series-job.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { AccountView } from './account-status.ts';
import type { AccountStore } from './account-store.ts';

interface AccountSamplesOptions {
  readonly clock: Clock;
  readonly store: Pick<AccountStore, 'publish' | 'withdrawPart'>;
  /** How long (ms) samples are exposed without being renewed. */
  readonly staleAfter: number;
}

/** All of it is renewed every minute. */
const LEAST_LIFETIME_MS = 3 * MINUTE_MS;

/** The part of an account that is exposed. */
type ExposedAccount = Pick<
  AccountView,
  | 'name'
  | 'shard'
  | 'id'
  | 'platform'
  | 'intervals'
  | 'tokenExpiresAt'
  | 'tokenRenewsAt'
  | 'listings'
  | 'sources'
>;

/** What is exposed of an account besides what its jobs find: who and what it is, and parts that are handed to it. */
export class AccountSamples {
  readonly #view: ExposedAccount;
  readonly #options: AccountSamplesOptions;
  readonly #isWhole: boolean;
  #withdrawn = false;
  /** Those that are exposed. */
  #ages = new ExpectedAges();
  /** Of limit scopes, by name. */
  readonly #labels = new Map<string, Labels>();

  constructor(view: ExposedAccount, options: AccountSamplesOptions) {
    this.#view = view;
    this.#options = options;
    this.#isWhole = hasWhole(view);
  }

  /** Exposes whose account it is, until when its token is valid, and when it is replaced. */
  exposeIdentity(): void {
    const { name: account, id, tokenExpiresAt, tokenRenewsAt } = this.#view;
    const samples: Sample[] = [];
    const accountId = id();
    // Several exporters that show it are taken to poll the same.
    if (accountId !== undefined && this.#isWhole)
      samples.push({ family: EDGE_ACCOUNT_INFO, labels: { account, account_id: accountId }, value: 1 });
    for (const [family, at] of [
      [EDGE_TOKEN_EXPIRY_TIMESTAMP, tokenExpiresAt()],
      [EDGE_TOKEN_RENEWAL_TIMESTAMP, tokenRenewsAt()],
    ] as const) {
      if (at === undefined) continue;
      samples.push({ family, labels: { account }, value: wallAt(this.#options.clock, at) / 1_000 });
    }
    this.publish('identity', samples);
  }

  /** Exposes what remains of the quota at a time (local ms). */
  exposeQuota(now = this.#options.clock.now()): void {
    const { name: account, platform } = this.#view;
    const samples: Sample[] = [];
    for (const { name: scope, limiter } of platform.scopes.all) {
      const window = limiter.openWindow(now);
      const limit = limiter.limit ?? limiter.guessedPerMinute;
      const endsAt = window?.endsAt(platform.platformClock) ?? Number.NaN;
      const labels = this.#labelsOf({ account, scope });
      if (limit !== undefined) samples.push({ family: EDGE_RATELIMIT_LIMIT, labels, value: limit });
      if (window === undefined) continue;
      samples.push({ family: EDGE_RATELIMIT_REMAINING, labels, value: window.remaining });
      samples.push({ family: EDGE_RATELIMIT_RESET_TIMESTAMP, labels, value: endsAt / 1_000 });
    }
    this.publish('quota', samples, now);
  }

  /** The same object for the same scope, with each poll: then its text is written once. */
  #labelsOf(scope: Labels & { readonly scope: string }): Labels {
    const known = this.#labels.get(scope.scope) ?? scope;
    this.#labels.set(scope.scope, known);
    return known;
  }

  /** Exposes how reading the lists of configurations went, which say what is to be read. */
  exposeListings(): void {
    this.publish('listings', listingSamples(this.#view));
  }

  /** Exposes how old data may be, in steps, a job each. @param now the platform's time */
  *exposeAges(jobs: Iterable<DatedJob>, now: number): Generator<undefined, void> {
    const { name: account, intervals } = this.#view;
    const ages = new ExpectedAges();
    for (const job of jobs) {
      for (const age of job.expectedAges(intervals.of(job).planned, now)) ages.raise(age);
      yield;
    }
    this.#ages = ages;
    this.publish('ages', ages.samples(account));
  }

  /** Exposes greater expected ages at once when a poll shows them: older data is shown from now on. */
  raiseAges(job: DatedJob, intervalMs: number): void {
    let isRaised = false;
    for (const age of job.expectedAges(intervalMs, this.#view.platform.platformClock.now()))
      isRaised = this.#ages.raise(age) || isRaised;
    if (isRaised) this.publish('ages', this.#ages.samples(this.#view.name));
  }

  /** Stops exposing it for good. */
  withdraw(): void {
    this.#withdrawn = true;
    for (const part of ['identity', 'quota', 'listings', 'ages', 'learned', 'counting', 'judgement'])
      this.#options.store.withdrawPart(`${this.#view.name}/${part}`);
  }

  /** Exposes a part of the account itself. It expires unless it is exposed again. */
  publish(part: string, samples: readonly Sample[], now = this.#options.clock.now()): void {
    const { store, staleAfter } = this.#options;
    if (this.#withdrawn) return;
    const lifetime = Math.max(staleAfter, LEAST_LIFETIME_MS);
    store.publish(`${this.#view.name}/${part}`, samples, now + lifetime);
  }
}

/** A job that reads series. */
type DatedJob = Pick<SeriesJob, 'subject' | 'schedule' | 'group' | 'weight' | 'expectedAges'>;

/** The age to be expected of each metric of a product: that of the target whose data is the oldest. */
class ExpectedAges {
  readonly #ages = new Map<string, MetricAge>();

  /** Returns true if an age is greater than those of the metric before. */
  raise(age: MetricAge): boolean {
    const key = `${age.product} ${age.metric}`;
    const isOldest = age.ageMs > (this.#ages.get(key)?.ageMs ?? 0);
    if (isOldest) this.#ages.set(key, age);
    return isOldest;
  }

  samples(account: string): Sample[] {
    return [...this.#ages.values()].map(({ product, metric, ageMs }) => ({
      family: EDGE_EXPECTED_AGE,
      labels: { account, product, metric },
      value: ageMs / 1_000,
    }));
  }
}

function listingSamples({ name: account, ...view }: ExposedAccount): Sample[] {
  const sources = view.sources().flatMap(({ collector, source, missing }): Sample[] => [
    { family: EDGE_SOURCE_INFO, labels: { account, collector, source }, value: 1 },
    ...missing.map((field) => ({
      family: EDGE_SOURCE_MISSING_FIELD_INFO,
      labels: { account, collector, field },
      value: 1,
    })),
  ]);
  const listings = view.listings().flatMap(({ product, listed, unmatched, withoutDomains }) => {
    const labels = { account, product: product.slug };
    const samples: Sample[] = [{ family: PRODUCT_LISTED, labels, value: listed ? 1 : 0 }];
    if (listed) {
      samples.push({ family: UNMATCHED_CONFIGURATIONS, labels, value: unmatched.length });
      samples.push({ family: UNREAD_CONFIGURATIONS, labels, value: withoutDomains });
    }
    return samples;
  });
  return [...sources, ...listings];
}
