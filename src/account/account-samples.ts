import type { Sample } from '../catalogue/family.ts';
import {
  EDGE_EXPECTED_AGE,
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_UP,
  PRODUCT_LISTED,
  UNMATCHED_CONFIGURATIONS,
} from '../catalogue/platform-families.ts';
import { type Clock, wallAt } from '../clock.ts';
import { OLDEST_MINUTE } from '../settling/completeness.ts';
import type { Delays } from '../settling/delays.ts';
import {
  BUCKET_COMPLETENESS_RATIO,
  PUBLISH_DELAY_SECONDS,
  SETTLE_DELAY_SECONDS,
  UPWARD_RESTATEMENT_RATIO,
} from '../settling/learned-families.ts';
import { MINUTE_MS } from '../settling/window.ts';
import type { AccountView } from './view.ts';

/** Samples about the account itself: reachability, remaining quota, token expiry. */
export function vitalSamples(
  { name: account, platform, ...view }: AccountView,
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
  for (const { product, listed, unmatched } of view.listings()) {
    const labels = { account, product: product.slug };
    samples.push({ family: PRODUCT_LISTED, labels, value: listed ? 1 : 0 });
    if (listed) samples.push({ family: UNMATCHED_CONFIGURATIONS, labels, value: unmatched });
  }
  for (const { name, limiter } of platform.scopes.all) {
    const labels = { account, scope: name };
    const remaining = limiter.remaining(now);
    const closesAt = limiter.closesAt(now);
    if (limiter.limit !== undefined)
      samples.push({ family: EDGE_RATELIMIT_LIMIT, labels, value: limiter.limit });
    if (remaining !== undefined) samples.push({ family: EDGE_RATELIMIT_REMAINING, labels, value: remaining });
    if (closesAt !== undefined) {
      const value = (closesAt + platform.platformClock.skewMs) / 1_000;
      samples.push({ family: EDGE_RATELIMIT_RESET_TIMESTAMP, labels, value });
    }
  }
  return samples;
}

/** The data of one metric of one target, and the age (ms) that it reaches when all is well, where that is known. */
export interface ExpectedAge {
  readonly product: string;
  readonly metric: string;
  readonly ageMs: number | undefined;
}

/** The age to be expected of each metric of a product: that of the target whose data is the oldest. */
export function expectedAgeSamples(account: string, ages: Iterable<ExpectedAge>): Sample[] {
  const oldest = new Map<string, ExpectedAge & { readonly ageMs: number }>();
  for (const { product, metric, ageMs } of ages) {
    if (ageMs === undefined) continue;
    const key = `${product} ${metric}`;
    if (ageMs > (oldest.get(key)?.ageMs ?? 0)) oldest.set(key, { product, metric, ageMs });
  }
  return [...oldest.values()].map(({ product, metric, ageMs }) => ({
    family: EDGE_EXPECTED_AGE,
    labels: { account, product, metric },
    value: ageMs / 1_000,
  }));
}

/** The delays of one metric, and what was learned of how its buckets fill up. */
export function learnedSamples(
  labels: Readonly<Record<string, string>>,
  delays: Delays,
  now: number,
): Sample[] {
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
