import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Labels } from '../catalogue/family.ts';
import { productOf } from '../catalogue/products.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { USUAL_SETTLE_MS } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { parsedJson } from '../text/received.ts';

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

/** What a history is made from, kept until it is whole, so that interruptions do not matter for the outcome. */
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

interface RequestOptions {
  readonly from: number;
  /** Undefined for the newest settled bucket. */
  readonly to: number | undefined;
  readonly labels: Labels;
  readonly accounts: readonly AccountConfig[];
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
function whatMatters({ api_url, source, settle_delay, units, collectors }: AccountConfig): object {
  const products = (['metrics', 'analytics'] as const).map((api) => {
    const entries = Object.entries(collectors[api]?.products ?? {});
    return [api, Object.fromEntries(entries.map(([slug, { schedule: _, ...settings }]) => [slug, settings]))];
  });
  return {
    api_url,
    ...(source !== 'auto' && { source }),
    settle_delay: settle_delay === 'auto' ? USUAL_SETTLE_MS : settle_delay,
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

/** A part of the range that one operation brings, in the platform's finest buckets. */
export interface HistoryWindow extends Window {
  readonly index: number;
  /** What the platform is asked for: always as long as a finest window, by which it chooses widths; never beyond the range's end. */
  readonly ask: Window;
}

/** What the platform has at a moment of its time: from its oldest bucket to the end of its newest settled one. */
export function availableAt(now: number, settleDelay: number): Window {
  return { from: now - HISTORY_MS, to: Math.floor((now - settleDelay) / MINUTE_MS) * MINUTE_MS };
}

/** The whole minutes within what was asked for; without an end up to the newest settled bucket. */
export function rangeOf(from: number, to: number | undefined, available: Window): Window {
  return {
    from: Math.ceil(from / MINUTE_MS) * MINUTE_MS,
    to: Math.floor((to ?? available.to) / MINUTE_MS) * MINUTE_MS,
  };
}

/** What is wrong with a range, as a sentence for the operator; undefined if nothing is. */
export function rangeProblem(range: Window, available: Window): string | undefined {
  if (range.from >= range.to) {
    return `--from (${moment(range.from)}) must be at least a minute before --to (${moment(range.to)})`;
  }
  if (range.from < available.from) {
    const earliest = Math.ceil(available.from / FINEST_WINDOW_MS + 0.25) * FINEST_WINDOW_MS;
    return `--from (${moment(range.from)}) is too early: the platform keeps 30 days, so the earliest is ${moment(earliest)}`;
  }
  if (range.to > available.to) {
    return `--to (${moment(range.to)}) is too late: only settled buckets are final, and the newest one ends at ${moment(available.to)}`;
  }
  return undefined;
}

/** Cuts a range at every full hour, oldest first: what the platform will forget soonest is read first. */
export function windowsOf(range: Window): HistoryWindow[] {
  const windows: HistoryWindow[] = [];
  let { from } = range;
  while (from < range.to) {
    const to = Math.min(range.to, Math.floor(from / FINEST_WINDOW_MS + 1) * FINEST_WINDOW_MS);
    const end = Math.min(from + FINEST_WINDOW_MS, range.to);
    windows.push({ index: windows.length, from, to, ask: { from: end - FINEST_WINDOW_MS, to: end } });
    from = to;
  }
  return windows;
}

/** A time as messages show it, in UTC and as the flags take it. */
export function moment(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** How messages name a metric of a target. */
export function nameOf({ account, product, by, id, name, metric }: PlannedSeries): string {
  const whose = by === 'product' ? 'the whole product' : `configuration ${name || id}`;
  return `account ${account}, ${product}, ${whose}, ${metric}`;
}
