import type { Sample } from '../catalogue/family.ts';
import {
  EDGE_RATELIMIT_LIMIT,
  EDGE_RATELIMIT_REMAINING,
  EDGE_RATELIMIT_RESET_TIMESTAMP,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_UP,
  PRODUCT_LISTED,
  UNMATCHED_CONFIGURATIONS,
} from '../catalogue/platform-families.ts';
import { type Clock, wallAt } from '../clock.ts';
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
