import { partOf } from '../account/jobs.ts';
import { PRODUCTS } from '../catalogue/products.ts';
import type { Clock } from '../clock.ts';
import { shardOfLimit } from '../cluster/shard.ts';
import { COLLECTORS } from '../collectors.ts';
import type { Account } from '../configuration/schema.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import { LimitScopes } from '../rate-limit/limit-scopes.ts';
import type { AssumedLimit } from '../rate-limit/limiter.ts';
import type { Collector } from '../settings/collector.ts';
import { explore } from './explore.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { Survey } from './survey.ts';

interface OfflinePlanOptions {
  readonly account: Account;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly counts: ListSizes;
  /** Operations per minute that the platform is taken to allow; otherwise the account's assumed limit. */
  readonly limit?: number | undefined;
  /** The limit that it divides with other accounts. */
  readonly byAddress?: AssumedLimit;
}

/** The plan of an account for a platform of which only the sizes of its lists are given. */
export async function offlinePlan(options: OfflinePlanOptions): Promise<AccountPlan> {
  const { account, clock, signal, counts } = options;
  const { reserve, assumed_limit } = account.quota;
  const assumedLimit = shardOfLimit(options.limit ?? assumed_limit, account.shard);
  const platformClock = new PlatformClock(
    () => clock.now(),
    () => clock.wall(),
  );
  const scopes = new LimitScopes({ platformClock, assumedLimit, reserve, byAddress: options.byAddress });
  const read = imaginedRead(counts);
  const survey = new Survey({ account, scopes, readFor: () => read });
  const { findings } = await explore(survey, {
    signal,
    parts: ['discovery', 'settings'],
    onProgress: () => undefined,
  });
  // What made-up items show says nothing of what real ones would.
  const telling = findings.map(({ series, ...finding }) =>
    partOf(finding.job) === 'discovery' && series !== undefined ? { ...finding, series } : finding,
  );
  const notes = [
    'offline: nothing was requested; each product is assumed to have the known metrics, and each metric to need one operation',
  ];
  return planOf({
    account,
    jobs: survey.jobs(),
    findings: telling,
    notes,
    listings: [],
    scopes,
  });
}

/** How many items the lists have: a number for all, and numbers for some by name. */
interface ListSizes {
  readonly usual: number;
  readonly named: ReadonlyMap<string, number>;
}

/** The names that a number can be given for: products and collectors of settings. */
export const COUNTED_NAMES: ReadonlySet<string> = new Set([
  ...PRODUCTS.map(({ slug }) => slug),
  ...Object.keys(COLLECTORS),
]);

const CONFIGURATIONS = /^\/(?<api>analytics|metrics)\/products\/(?<id>\d+)\/configurations$/;

/** What the platform answers by default (section 8). */
const USUAL_PAGE_SIZE = 10;

/**
 * A platform of which only the sizes of its lists are known: it answers each read with that many made-up items. Which
 * metrics it has is not known: it is taken to have those of the catalogue.
 */
export function imaginedRead(counts: ListSizes): Read {
  return async (resource) => {
    const asked = resource();
    if (asked.path === '/analytics/metadata') throw new PlatformFailure('not_found', 'nothing was asked');
    return { body: answerTo(asked, counts), bytes: 0 };
  };
}

function answerTo(resource: Resource, counts: ListSizes): unknown {
  const { path, version } = resource;
  const listed = CONFIGURATIONS.exec(path)?.groups;
  if (listed !== undefined) {
    const product = PRODUCTS.find(({ api, id }) => api === listed['api'] && String(id) === listed['id']);
    return items(countOf(counts, product?.slug ?? ''));
  }
  if (/\/\d+$/.test(path)) return { results: item(1) };
  const count = countOf(counts, collectorThatReads(path) ?? '');
  return version === 3 ? pageOf(resource, count) : items(count);
}

function pageOf({ query }: Resource, count: number): unknown {
  const size = Number(query?.['page_size'] ?? USUAL_PAGE_SIZE);
  const first = (Number(query?.['page'] ?? 1) - 1) * size;
  const results = items(Math.max(0, Math.min(size, count - first)), first);
  return { count, total_pages: Math.ceil(count / size), results };
}

function collectorThatReads(path: string): string | undefined {
  const pattern = path.replaceAll(/\/\d+(?=\/|$)/g, '/:id');
  const found = Object.entries<Collector>(COLLECTORS).find(([, { reads }]) => reads.includes(pattern));
  return found?.[0];
}

function countOf({ usual, named }: ListSizes, name: string): number {
  return named.get(name) ?? usual;
}

function items(count: number, after = 0): unknown[] {
  return Array.from({ length: count }, (_, index) => item(after + index + 1));
}

function item(id: number): unknown {
  return { id, name: `number ${id}`, active: true };
}
