import type { Sample } from '../catalogue/family.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  COUNTERS_CATCHING_UP,
  EDGE_ACCOUNT_INFO,
  EDGE_DATA_AVAILABLE,
  EDGE_EXPECTED_AGE,
  EDGE_MISSING_BUCKETS,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_SOURCE_INFO,
  EDGE_SOURCE_MISSING_FIELD_INFO,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_TOKEN_RENEWAL_TIMESTAMP,
  EDGE_TROUBLE_INFO,
  EDGE_UP,
  PRODUCT_LISTED,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UNMATCHED_CONFIGURATIONS,
  UNREAD_CONFIGURATIONS,
  UPWARD_RESTATEMENT_RATIO,
} from '../catalogue/platform-families.ts';
import { type Clock, wallAt } from '../clock.ts';
import { hasWhole } from '../cluster/shard.ts';
import type { Facts } from '../facts/facts.ts';
import type { PollIntervals } from '../rate-limit/poll-intervals.ts';
import type { Series } from '../series/metric-series.ts';
import type { MetricAge, SeriesJob } from '../series/series-job.ts';
import { completeByMinute, FINAL_MINUTE } from '../settling/completeness.ts';
import { type DelaySettings, delaysOf, type MetricMemory, upwardShare } from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { labelsIn, targetName } from '../targets/target.ts';
import type { AccountView } from './account-status.ts';

/** Returns samples of the account's id, and of the times at which its token expires and is renewed. */
export function identitySamples(
  account: Pick<AccountView, 'name' | 'shard' | 'id' | 'tokenExpiresAt' | 'tokenRenewsAt'>,
  clock: Clock,
): Sample[] {
  const { name } = account;
  const id = account.id();
  // Exporters that expose the same id are treated as polling the same account.
  const identity: Sample[] =
    id !== undefined && hasWhole(account)
      ? [{ family: EDGE_ACCOUNT_INFO, labels: { account: name, account_id: id }, value: 1 }]
      : [];
  const times = [
    [EDGE_TOKEN_EXPIRY_TIMESTAMP, account.tokenExpiresAt()],
    [EDGE_TOKEN_RENEWAL_TIMESTAMP, account.tokenRenewsAt()],
  ] as const;
  return [
    ...identity,
    ...times.flatMap(([family, at]) =>
      at === undefined ? [] : [{ family, labels: { account: name }, value: wallAt(clock, at) / 1_000 }],
    ),
  ];
}

/** Returns samples of the limit, the remaining operations and the reset of each limit scope. @param now local ms */
export function quotaSamples(
  { name: account, platform }: Pick<AccountView, 'name' | 'platform'>,
  now: number,
): Sample[] {
  return platform.scopes.all.flatMap(({ name: scope, limiter }) => {
    const window = limiter.openWindow(now);
    const limit = limiter.limit ?? limiter.guessedPerMinute;
    const labels = { account, scope };
    const samples: Sample[] =
      limit === undefined ? [] : [{ family: EDGE_RATELIMIT_LIMIT, labels, value: limit }];
    if (window === undefined) return samples;
    const endsAt = window.endsAt(platform.platformClock) ?? Number.NaN;
    return [
      ...samples,
      { family: EDGE_RATELIMIT_REMAINING, labels, value: window.remaining },
      { family: EDGE_RATELIMIT_RESET_TIMESTAMP, labels, value: endsAt / 1_000 },
    ];
  });
}

/** Returns samples of the sources of series, and of the lists of configurations. */
export function listingSamples({
  name: account,
  ...view
}: Pick<AccountView, 'name' | 'sources' | 'listings'>): Sample[] {
  const sources = view.sources().flatMap(({ collector, source, missing }): Sample[] => [
    { family: EDGE_SOURCE_INFO, labels: { account, collector, source }, value: 1 },
    ...missing.map((field) => ({
      family: EDGE_SOURCE_MISSING_FIELD_INFO,
      labels: { account, collector, field },
      value: 1,
    })),
  ]);
  const listings = view.listings().flatMap(({ product, listed, unmatched, withoutDomains }): Sample[] => {
    const labels = { account, product: product.slug };
    const found: Sample = { family: PRODUCT_LISTED, labels, value: listed ? 1 : 0 };
    if (!listed) return [found];
    return [
      found,
      { family: UNMATCHED_CONFIGURATIONS, labels, value: unmatched.length },
      { family: UNREAD_CONFIGURATIONS, labels, value: withoutDomains },
    ];
  });
  return [...sources, ...listings];
}

/** Returns the expected age of each metric of a product, from the target with the oldest data. @param now platform ms */
export function ageSamples(
  account: string,
  jobs: Iterable<Pick<SeriesJob, 'schedule' | 'group' | 'weight' | 'expectedAges'>>,
  intervals: Pick<PollIntervals, 'of'>,
  now: number,
): Sample[] {
  const oldest = new Map<string, MetricAge>();
  for (const job of jobs) {
    for (const age of job.expectedAges(intervals.of(job).planned, now)) {
      const key = `${age.product} ${age.metric}`;
      if (age.ageMs > (oldest.get(key)?.ageMs ?? 0)) oldest.set(key, age);
    }
  }
  return Array.from(oldest.values(), ({ product, metric, ageMs }) => ({
    family: EDGE_EXPECTED_AGE,
    labels: { account, product, metric },
    value: ageMs / 1_000,
  }));
}

/** Returns the samples of the facts about the account. */
export function factSamples(account: string, { up, parts, causes }: Facts): Sample[] {
  const samples: Sample[] = up === null ? [] : [{ family: EDGE_UP, labels: { account }, value: Number(up) }];
  for (const { product, hasData, tally } of parts) {
    if (product === undefined) continue;
    const { missingShare: missing } = tally;
    const labels = { account, product };
    if (missing !== undefined) samples.push({ family: EDGE_MISSING_BUCKETS, labels, value: missing });
    if (hasData !== null) samples.push({ family: EDGE_DATA_AVAILABLE, labels, value: Number(hasData) });
  }
  for (const cause of new Set(causes.map(({ kind }) => kind)))
    if (cause !== 'first_polls')
      samples.push({ family: EDGE_TROUBLE_INFO, labels: { account, cause }, value: 1 });
  return samples;
}

/** Least share of its final value with which a bucket counts as final. */
const FINAL_SHARE = 0.999;

/** A metric of a product, with its learned delays and completeness. */
export interface Learned extends Pick<LearnedMetric, 'product' | 'metric'> {
  readonly known: MetricMemory;
}

/** Returns samples of the delays of metrics, and of the completeness of their buckets by age. @param now platform ms */
export function learnedSamples(
  account: string,
  learned: readonly Learned[],
  delays: DelaySettings,
  now: number,
): Sample[] {
  return learned.flatMap(({ product, metric, known }): Sample[] => {
    const labels = { account, product, metric };
    const { publish, settle } = delaysOf(known, delays, now);
    const upwards = upwardShare(known, now);
    // Ages from the usual one on have no sample if buckets are final.
    const incomplete = [...completeByMinute(known.completeness)].filter(
      ([minute, share]) => minute < FINAL_MINUTE || share < FINAL_SHARE,
    );
    return [
      { family: PUBLISH_DELAY_SECONDS, labels, value: publish / 1_000 },
      { family: SETTLE_DELAY_SECONDS, labels, value: settle / 1_000 },
      ...(upwards === undefined ? [] : [{ family: UPWARD_RESTATEMENT_RATIO, labels, value: upwards }]),
      ...incomplete.map(([minute, value]) => ({
        family: BUCKET_COMPLETENESS_RATIO,
        labels: { ...labels, age_seconds: String((minute * MINUTE_MS) / 1_000) },
        value,
      })),
    ];
  });
}

/** Counters that lag by this much (ms) beyond their expected age will jump when they catch up. */
const BEHIND_MS = 5 * MINUTE_MS;

/** Time (ms) for which counters still count as catching up after they were last behind, so that a scrape shows it with the jump. */
const CAUGHT_UP_AFTER_MS = 5 * MINUTE_MS;

/** Latest time (platform ms) at which counters were behind, by the id of their series. */
export type BehindAt = ReadonlyMap<string, number>;

/** A job with the series that it counts. */
export interface CountingJob {
  readonly series: Iterable<Pick<Series, 'id' | 'target' | 'counted'>>;
}

/**
 * Returns the counters that catch up, and a sample for each configuration that has counters. While counters catch up, `rate()` is
 * too high, since one scrape interval counts many minutes.
 * @param now platform ms
 * @param intervalOf returns the planned poll interval (ms) of a job
 */
export function catchingUp<Work extends CountingJob>(
  jobs: Iterable<Work>,
  before: BehindAt,
  now: number,
  intervalOf: (job: Work) => number,
): { readonly behind: BehindAt; readonly samples: readonly Sample[] } {
  const behind = new Map<string, number>();
  const samples = new Map<string, Sample>();
  for (const job of jobs) {
    const interval = intervalOf(job);
    for (const series of job.series) {
      const counted = series.counted(interval, now);
      if (counted === undefined) continue;
      const isBehind = now - counted.until > counted.expectedAge + BEHIND_MS;
      const last = isBehind ? now : before.get(series.id);
      const catches = last !== undefined && now - last <= CAUGHT_UP_AFTER_MS;
      if (catches) behind.set(series.id, last);
      const { target } = series;
      const key = `${target.product.slug}/${targetName(target)}`;
      const value = Math.max(catches ? 1 : 0, samples.get(key)?.value ?? 0);
      samples.set(key, { family: COUNTERS_CATCHING_UP[target.by], labels: labelsIn(target, {}), value });
    }
  }
  return { behind, samples: [...samples.values()] };
}
