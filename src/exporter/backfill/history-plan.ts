import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import { productOf } from '../catalogue/products.ts';
import type { Account } from '../configuration/schema.ts';
import type { Target } from '../targets/target.ts';
import { parsedJson } from '../text/json.ts';
import { moment } from './history-range.ts';

const plannedSeries = z.strictObject({
  account: z.string(),
  api: z.enum(['analytics', 'metrics']),
  product: z.string(),
  by: z.enum(['configuration', 'product']),
  id: z.string(),
  name: z.string(),
  metric: z.string(),
  /** The configuration's own id, where `id` is that of its only domain. */
  owner: z.string().optional(),
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
  return historyPlan.safeParse(parsedJson(text)).data;
}

/** The target of a planned metric. */
export function targetOf({ account, api, product, by, id, name, owner }: PlannedSeries): Target {
  return { account, product: productOf(api, product), by, id, name, ...(owner !== undefined && { owner }) };
}

/** In an order that does not depend on how the platform lists its configurations. */
export function inOrder(series: readonly PlannedSeries[]): PlannedSeries[] {
  const keyed = series.map((entry) => ({ entry, key: JSON.stringify(Object.values(entry)) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ entry }) => entry);
}

/** Everything that was asked for and that the history depends on, as JSON. */
type HistoryRequest = Readonly<Record<string, unknown>>;

export interface RequestOptions {
  readonly from: number;
  /** Undefined for the newest settled bucket. */
  readonly to: number | undefined;
  /** Labels that every series gets besides its own. */
  readonly labels: Labels;
  readonly accounts: readonly Account[];
}

/** What the parts of a request are called where they are set. */
const ACCOUNT_PREFIX = 'account ';

/** The request, by the names of its parts as an operator knows them. */
export function requestOf({ from, to, labels, accounts }: RequestOptions): HistoryRequest {
  const request = {
    '--from': moment(from),
    '--to': to === undefined ? null : moment(to),
    '--labels': labels,
    ...Object.fromEntries(accounts.map((account) => [ACCOUNT_PREFIX + account.name, whatMatters(account)])),
  };
  return JSON.parse(JSON.stringify(request));
}

/** Of an account's configuration what decides which series there are and what their values mean. */
function whatMatters({ api_url, source, settle_delay, units, collectors }: Account): object {
  const products = (['metrics', 'analytics'] as const).map((api) => {
    const entries = Object.entries(collectors[api]?.products ?? {});
    return [api, Object.fromEntries(entries.map(([slug, { schedule: _, ...settings }]) => [slug, settings]))];
  });
  return {
    api_url,
    ...(source !== 'auto' && { source }),
    settle_delay,
    units,
    ...Object.fromEntries(products),
  };
}

/** How a request differs from the one that a history was begun with, a phrase for each part. */
export function differences(begun: HistoryRequest, now: HistoryRequest): string[] {
  const parts = new Set([...Object.keys(begun), ...Object.keys(now)]);
  return [...parts]
    .filter((part) => !isDeepStrictEqual(begun[part], now[part]))
    .map((part) => phrase(part, begun, now));
}

function phrase(part: string, begun: HistoryRequest, now: HistoryRequest): string {
  if (part.startsWith(ACCOUNT_PREFIX)) {
    if (!(part in now)) return `${part} has been removed`;
    return part in begun ? `the configuration of ${part} has changed` : `${part} is new`;
  }
  return `${part} was ${shown(begun[part])} and is ${shown(now[part])}`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'not given';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
