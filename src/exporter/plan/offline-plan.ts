import { PRODUCTS } from '../catalogue/products.ts';
import { shardOfLimit } from '../cluster/shard.ts';
import { COLLECTORS, partOf } from '../collectors.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import { LimitScopes } from '../rate-limit/limit-scopes.ts';
import type { Collector } from '../settings/collector.ts';
import type { PlanOptions } from './live-plan.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { explore, Survey } from './survey.ts';

interface OfflinePlanOptions extends PlanOptions {
  readonly counts: ListSizes;
  /** Assumed limit (operations per minute) of the platform; default: the account's assumed limit. */
  readonly limit?: number | undefined;
}

const NOTE =
  'offline: nothing was requested; each product is assumed to have the known metrics, and each metric to need one operation';

/** Returns the plan of an account from given sizes of its lists, without requests. */
export async function offlinePlan(options: OfflinePlanOptions): Promise<AccountPlan> {
  const { account, clock, signal, counts, limits } = options;
  const { reserve, assumed_limit } = account.quota;
  const assumedLimit = shardOfLimit(options.limit ?? assumed_limit, account.shard);
  const platformClock = new PlatformClock(
    () => clock.now(),
    () => clock.wall(),
  );
  const scopes = new LimitScopes({ platformClock, assumedLimit, reserve, byAddress: options.byAddress });
  const read = imaginedRead(counts);
  const survey = new Survey({ account, scopes, readFor: () => read, limits });
  await explore(survey, { signal, parts: ['discovery', 'settings'], isFinal: () => false });
  // Simulated items say nothing about the series of real ones.
  const findings = survey.findings.map(({ series, ...finding }) =>
    partOf(finding.job) === 'discovery' && series !== undefined ? { ...finding, series } : finding,
  );
  return planOf({ account, jobs: survey.jobs(), findings, notes: [NOTE], listings: [], scopes });
}

/** Sizes of lists: a default, and sizes by name. */
interface ListSizes {
  readonly usual: number;
  readonly named: ReadonlyMap<string, number>;
}

/** Names for which a size can be given: products, and collectors of settings. */
export const COUNTED_NAMES: ReadonlySet<string> = new Set([
  ...PRODUCTS.map(({ slug }) => slug),
  ...Object.keys(COLLECTORS),
]);

const CONFIGURATIONS = /^\/(?<api>analytics|metrics)\/products\/(?<id>\d+)\/configurations$/;

/** Default number of items per page of the platform (section 8). */
const USUAL_PAGE_SIZE = 10;

/** Returns a read that simulates a platform with lists of these sizes and the known metrics. */
export function imaginedRead(counts: ListSizes): Read {
  return async (resource) => {
    const asked = resource();
    if (asked.path === '/analytics/metadata') throw new PlatformFailure('not_found', 'nothing was asked');
    return { body: answerTo(asked, counts), bytes: 0 };
  };
}

function answerTo({ path, version, query }: Resource, { usual, named }: ListSizes): unknown {
  const listed = CONFIGURATIONS.exec(path)?.groups;
  const product = PRODUCTS.find(({ api, id }) => api === listed?.['api'] && String(id) === listed['id']);
  const count = named.get(product?.slug ?? collectorThatReads(path) ?? '') ?? usual;
  if (listed !== undefined) return items(count);
  // REST has series, so that it becomes their source.
  if (/\/metrics\/\w+$/.test(path)) return { total: [] };
  if (/\/\d+$/.test(path)) return { results: item(1) };
  if (version !== 3) return items(count);
  const size = Number(query?.['page_size'] ?? USUAL_PAGE_SIZE);
  const first = (Number(query?.['page'] ?? 1) - 1) * size;
  const results = items(Math.max(0, Math.min(size, count - first)), first);
  return { count, total_pages: Math.ceil(count / size), results };
}

function collectorThatReads(path: string): string | undefined {
  const pattern = path.replaceAll(/\/\d+(?=\/|$)/g, '/:id');
  return Object.entries<Collector>(COLLECTORS).find(([, { reads }]) => reads.includes(pattern))?.[0];
}

function items(count: number, after = 0): unknown[] {
  return Array.from({ length: count }, (_, index) => item(after + index + 1));
}

function item(id: number): unknown {
  return { id, name: `number ${id}`, active: true };
}
