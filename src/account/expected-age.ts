import type { Sample } from '../catalogue/family.ts';
import { EDGE_EXPECTED_AGE } from '../catalogue/platform-families.ts';

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
