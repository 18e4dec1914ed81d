import type { Sample } from '../catalogue/family.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  EDGE_EXPECTED_AGE,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_UP,
  PRODUCT_LISTED,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UNMATCHED_CONFIGURATIONS,
  UPWARD_RESTATEMENT_RATIO,
} from '../catalogue/platform-families.ts';
import { type Clock, wallAt } from '../clock.ts';
import type { Store } from '../exposition/store.ts';
import type { SeriesJob } from '../series/series-job.ts';
import { OLDEST_MINUTE } from '../settling/completeness.ts';
import type { Delays, MetricDelays } from '../settling/delays.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { AccountView } from './view.ts';

export interface AccountSamplesOptions {
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  readonly store: Pick<Store, 'publish' | 'withdraw'>;
  /** How long (ms) samples are exposed without being renewed. */
  readonly staleAfter: number;
}

/** The part of an account that is exposed. */
type ExposedAccount = Pick<AccountView, 'name' | 'platform' | 'forecast' | 'tokenExpiresAt' | 'listings'>;

/** What is exposed of an account besides what its jobs find. */
export class AccountSamples {
  readonly #view: ExposedAccount;
  readonly #options: AccountSamplesOptions;
  #withdrawn = false;

  constructor(view: ExposedAccount, options: AccountSamplesOptions) {
    this.#view = view;
    this.#options = options;
  }

  /** Exposes reachability, remaining quota and token expiry as they are now. */
  exposeVitals(): void {
    this.#publish('vitals', vitalSamples(this.#view, this.#options.clock));
  }

  /** Exposes how the lists of configurations fare, which tell what is to be read. */
  exposeListings(): void {
    this.#publish('listings', listingSamples(this.#view));
  }

  /** Exposes what was learned of the platform's delays, and how old data may therefore be; in steps, a job each. */
  *exposeLearned(delays: Iterable<MetricDelays>, jobs: Iterable<DatedJob>): Generator<undefined, void> {
    const { name: account, platform, forecast } = this.#view;
    const oldest = new OldestData();
    for (const job of jobs) {
      oldest.add(job, job.expectedAge(forecast.intervalOf(job)));
      yield;
    }
    const now = platform.platformClock.now();
    const samples = [...delays].flatMap(({ product, metric, delays }) =>
      learnedSamples({ account, product, metric }, delays, now),
    );
    this.#publish('learned', [...samples, ...oldest.samples(account)]);
  }

  /** Stops exposing it for good. */
  withdraw(): void {
    this.#withdrawn = true;
    for (const part of ['vitals', 'listings', 'learned'])
      this.#options.store.withdraw(`${this.#view.name}/${part}`);
  }

  #publish(part: string, samples: readonly Sample[]): void {
    const { clock, store, staleAfter } = this.#options;
    if (this.#withdrawn) return;
    store.publish(`${this.#view.name}/${part}`, samples, clock.now() + staleAfter);
  }
}

/** Samples about the account itself. */
function vitalSamples(
  { name: account, platform, ...view }: ExposedAccount,
  clock: Pick<Clock, 'now' | 'wall'>,
): Sample[] {
  const now = clock.now();
  const samples: Sample[] = [];
  const tokenExpiresAt = view.tokenExpiresAt();
  const { up } = platform.reachability;
  if (up !== undefined) samples.push({ family: EDGE_UP, labels: { account }, value: up ? 1 : 0 });
  if (tokenExpiresAt !== undefined) {
    samples.push({
      family: EDGE_TOKEN_EXPIRY_TIMESTAMP,
      labels: { account },
      value: wallAt(clock, tokenExpiresAt) / 1_000,
    });
  }
  for (const { name, limiter } of platform.scopes.all) {
    const labels = { account, scope: name };
    const window = limiter.openWindow(now);
    if (limiter.limit !== undefined)
      samples.push({ family: EDGE_RATELIMIT_LIMIT, labels, value: limiter.limit });
    if (window === undefined) continue;
    samples.push({ family: EDGE_RATELIMIT_REMAINING, labels, value: window.remaining });
    const endsAt = window.endsAt(platform.platformClock);
    samples.push({ family: EDGE_RATELIMIT_RESET_TIMESTAMP, labels, value: endsAt / 1_000 });
  }
  return samples;
}

function listingSamples({ name: account, ...view }: ExposedAccount): Sample[] {
  return view.listings().flatMap(({ product, listed, unmatched }) => {
    const labels = { account, product: product.slug };
    const samples: Sample[] = [{ family: PRODUCT_LISTED, labels, value: listed ? 1 : 0 }];
    if (listed) samples.push({ family: UNMATCHED_CONFIGURATIONS, labels, value: unmatched.length });
    return samples;
  });
}

/** A job that reads one metric of one target. */
type DatedJob = Pick<SeriesJob, 'product' | 'metric' | 'schedule' | 'group' | 'weight' | 'expectedAge'>;

/** The age to be expected of each metric of a product: that of the target whose data is the oldest. */
class OldestData {
  readonly #ages = new Map<
    string,
    { readonly product: string; readonly metric: string; readonly ageMs: number }
  >();

  /** @param ageMs that the job's data reaches when all is well, where that is known */
  add({ product, metric }: DatedJob, ageMs: number | undefined): void {
    const key = `${product} ${metric}`;
    if (ageMs !== undefined && ageMs > (this.#ages.get(key)?.ageMs ?? 0)) {
      this.#ages.set(key, { product, metric, ageMs });
    }
  }

  samples(account: string): Sample[] {
    return [...this.#ages.values()].map(({ product, metric, ageMs }) => ({
      family: EDGE_EXPECTED_AGE,
      labels: { account, product, metric },
      value: ageMs / 1_000,
    }));
  }
}

/** The delays of one metric, and what was learned of how its buckets fill up. */
function learnedSamples(labels: Readonly<Record<string, string>>, delays: Delays, now: number): Sample[] {
  const samples: Sample[] = [
    { family: PUBLISH_DELAY_SECONDS, labels, value: delays.publish() / 1_000 },
    { family: SETTLE_DELAY_SECONDS, labels, value: delays.settle(now) / 1_000 },
  ];
  const upwards = delays.directions.upwardShare(now);
  if (upwards !== undefined) samples.push({ family: UPWARD_RESTATEMENT_RATIO, labels, value: upwards });
  for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
    const value = delays.completeness.at(minute);
    if (value === undefined) continue;
    const age = String((minute * MINUTE_MS) / 1_000);
    samples.push({ family: BUCKET_COMPLETENESS_RATIO, labels: { ...labels, age_seconds: age }, value });
  }
  return samples;
}
