import { isDeepStrictEqual } from 'node:util';
import type { Labels } from '../catalogue/family.ts';
import type { Account } from '../configuration/schema.ts';
import { moment } from './history-range.ts';

/** Everything that was asked for and that the history depends on, as JSON. */
export type HistoryRequest = Readonly<Record<string, unknown>>;

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
function whatMatters({ api_url, settle_delay, units, collectors }: Account): object {
  const products = (['metrics', 'analytics'] as const).map((api) => {
    const entries = Object.entries(collectors[api]?.products ?? {});
    return [api, Object.fromEntries(entries.map(([slug, { schedule: _, ...settings }]) => [slug, settings]))];
  });
  return { api_url, settle_delay, units, ...Object.fromEntries(products) };
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
