import { isDeepStrictEqual } from 'node:util';
import type { Labels } from '../catalogue/family.ts';
import { productOf, type SeriesApi } from '../catalogue/products.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import type { SourceName } from '../series/series-source.ts';
import { USUAL_SETTLE_MS } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, HISTORY_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { Misuse } from './refusal.ts';

/** One metric of one target. */
export interface PlannedSeries {
  readonly account: string;
  readonly api: SeriesApi;
  readonly product: string;
  readonly by: Target['by'];
  readonly id: string;
  readonly name: string;
  readonly metric: string;
  readonly source: SourceName;
  /** Id of the configuration, if `id` is that of its only domain; otherwise undefined. */
  readonly owner?: string;
}

/** Everything that determines the content of a history. It is stored, so that interruptions do not change the result. */
export interface HistoryPlan {
  readonly version: 2;
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly range: Window;
  /** The platform's time when the plan was made, which no operation exceeds. */
  readonly latest: number;
  readonly series: readonly PlannedSeries[];
}

/** Returns a plan from its stored form; undefined for another version. */
export function restorePlan(stored: unknown): HistoryPlan | undefined {
  return Object(stored).version === 2 ? (stored as HistoryPlan) : undefined;
}

/** Returns the target of a planned series. */
export function targetOf({ account, api, product, by, id, name, owner }: PlannedSeries): Target {
  return { account, product: productOf(api, product), by, id, name, ...(owner !== undefined && { owner }) };
}

interface RequestOptions {
  readonly from: number;
  /** Milliseconds since the epoch; undefined for the newest settled bucket. */
  readonly to: number | undefined;
  readonly labels: Labels;
  readonly accounts: readonly AccountConfig[];
}

/** Returns a request in its JSON form, with names for its parts. */
export function requestOf({ from, to, labels, accounts }: RequestOptions): HistoryPlan['request'] {
  const request = {
    '--from': moment(from),
    '--to': to === undefined ? 'not given' : moment(to),
    '--labels': labels,
    ...Object.fromEntries(accounts.map((account) => [`account ${account.name}`, settingsOf(account)])),
  };
  return JSON.parse(JSON.stringify(request));
}

/** Returns the settings of an account that determine its series and the meaning of their values. */
function settingsOf({ api_url, source, settle_delay, units, collectors }: AccountConfig): object {
  const products = (['metrics', 'analytics'] as const).map((api) => {
    const entries = Object.entries(collectors[api]?.products ?? {});
    return [api, Object.fromEntries(entries.map(([slug, { schedule: _, ...settings }]) => [slug, settings]))];
  });
  return { api_url, source, settle_delay, units, ...Object.fromEntries(products) };
}

/** Returns the differences between a request and that of a started history, as phrases. */
export function changesSince(
  { request: begun }: Pick<HistoryPlan, 'request'>,
  options: RequestOptions,
): string[] {
  const now = requestOf(options);
  const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(begun), ...Object.keys(now)])]
    .filter((part) => !isDeepStrictEqual(begun[part], now[part]))
    .map((part) =>
      part.startsWith('--')
        ? `${part} was ${shown(begun[part])} and is ${shown(now[part])}`
        : `the configuration of ${part} has changed`,
    );
}

/** Part of the range that one operation reads in the platform's finest buckets. */
export interface HistoryWindow extends Window {
  readonly index: number;
  /** Window of the operation: a whole hour, so that the platform chooses the same bucket width for all. */
  readonly ask: Window;
}

/** History that the platform has at a given time. The window contains only settled buckets. */
export interface Available extends Window {
  /** The last whole minute. */
  readonly latest: number;
}

/** Returns the history that the platform has at a given time. @param settleDelay `settle_delay` of the account */
export function availableAt(now: number, settleDelay: AccountConfig['settle_delay']): Available {
  const delay = settleDelay === 'auto' ? USUAL_SETTLE_MS : settleDelay;
  const minute = (time: number) => Math.floor(time / MINUTE_MS) * MINUTE_MS;
  return { from: now - HISTORY_MS, to: minute(now - delay), latest: minute(now) };
}

/**
 * Returns the range of a request in whole minutes.
 * @param to undefined for the newest settled bucket
 * @throws Misuse if the platform does not have the range
 */
export function rangeOf(from: number, to: number | undefined, available: Window): Window {
  const range = {
    from: Math.ceil(from / MINUTE_MS) * MINUTE_MS,
    to: Math.floor((to ?? available.to) / MINUTE_MS) * MINUTE_MS,
  };
  const [first, last] = [`--from (${moment(range.from)})`, `--to (${moment(range.to)})`];
  if (range.from >= range.to) throw new Misuse(`${first} must be at least a minute before ${last}`);
  if (range.from < available.from) {
    const earliest = Math.ceil(available.from / FINEST_WINDOW_MS + 0.25) * FINEST_WINDOW_MS;
    const reason = `the platform keeps 30 days, so the earliest is ${moment(earliest)}`;
    throw new Misuse(`${first} is too early: ${reason}`);
  }
  if (range.to > available.to) {
    const reason = `only settled buckets are final, and the newest one ends at ${moment(available.to)}`;
    throw new Misuse(`${last} is too late: ${reason}`);
  }
  return range;
}

/**
 * Divides the range at every full hour. The oldest hour is first, because the platform deletes it first. An operation may read
 * beyond the range: later rows show where its last bucket ends.
 */
export function windowsOf({ range, latest }: Pick<HistoryPlan, 'range' | 'latest'>): HistoryWindow[] {
  const windows: HistoryWindow[] = [];
  let { from } = range;
  while (from < range.to) {
    const to = Math.min(range.to, Math.floor(from / FINEST_WINDOW_MS + 1) * FINEST_WINDOW_MS);
    const end = Math.min(from + FINEST_WINDOW_MS, latest);
    windows.push({ index: windows.length, from, to, ask: { from: end - FINEST_WINDOW_MS, to: end } });
    from = to;
  }
  return windows;
}

/** Returns a time in UTC for messages, in the form that flags accept. */
export function moment(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Returns the name of a series for messages. */
export function nameOf({ account, product, by, id, name, metric }: PlannedSeries): string {
  const whose = by === 'product' ? 'the whole product' : `configuration ${name || id}`;
  return `account ${account}, ${product}, ${whose}, ${metric}`;
}
