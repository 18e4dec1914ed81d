import { z } from 'zod';
import { productOf } from '../catalogue/products.ts';
import type { Target } from '../targets/target.ts';
import type { HistoryRequest } from './history-request.ts';

const plannedSeries = z.strictObject({
  account: z.string(),
  api: z.enum(['analytics', 'metrics']),
  product: z.string(),
  by: z.enum(['configuration', 'product']),
  id: z.string(),
  name: z.string(),
  metric: z.string(),
});

const historyPlan = z.strictObject({
  /** Of this form; a later one that means something else gets another number. */
  version: z.literal(1),
  request: z.record(z.string(), z.unknown()),
  range: z.strictObject({ from: z.number(), to: z.number() }),
  series: z.array(plannedSeries),
});

/** One metric of one target: what a read brings. */
export type PlannedSeries = z.output<typeof plannedSeries>;

/**
 * What a history is made from, decided when it is begun and kept until it is whole: what was asked for, the range
 * with its end, and the targets that there were. So it does not matter for the outcome how often it was interrupted.
 */
export interface HistoryPlan extends z.output<typeof historyPlan> {
  readonly request: HistoryRequest;
}

/** The plan in its stored form, or undefined when it is none of this version. */
export function parsePlan(text: string): HistoryPlan | undefined {
  try {
    const parsed = historyPlan.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A target's metric as the plan keeps it. */
export function plannedSeriesOf({ account, product, by, id, name }: Target, metric: string): PlannedSeries {
  return { account, api: product.api, product: product.slug, by, id, name, metric };
}

/** The target of a planned metric. */
export function targetOf({ account, api, product, by, id, name }: PlannedSeries): Target {
  return { account, product: productOf(api, product), by, id, name };
}

/** In an order that does not depend on how the platform lists its configurations. */
export function inOrder(series: readonly PlannedSeries[]): PlannedSeries[] {
  const keyed = series.map((entry) => ({ entry, key: JSON.stringify(Object.values(entry)) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}
