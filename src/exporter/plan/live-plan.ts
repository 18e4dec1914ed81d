import { setMaxListeners } from 'node:events';
import type { Listing } from '../account/account-targets.ts';
import { Connection, credentialsFrom } from '../account/connection.ts';
import type { AccountLimits } from '../account/jobs.ts';
import { PRODUCTS } from '../catalogue/products.ts';
import { type Clock, Timer } from '../clock.ts';
import { shardOfLimit } from '../cluster/shard.ts';
import { COLLECTORS, partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { PlatformClock } from '../platform/platform-clock.ts';
import { PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import type { AssumedLimit } from '../rate-limit/assumed-limit.ts';
import { allowanceOf } from '../rate-limit/decision.ts';
import { LimitScopes } from '../rate-limit/limit-scopes.ts';
import type { Secret } from '../secret.ts';
import type { Collector } from '../settings/collector.ts';
import { duration } from '../text/figures.ts';
import { type AccountPlan, planOf } from './plan.ts';
import { type ExploreProgress, explore, notesOf, preventsPlan, refusedAll, Survey } from './survey.ts';

/** One configuration may hold more settings than the next, and other clients may use up the quota. */
const PLANNING = { settingsSample: 3, attempts: 3, isFinal: preventsPlan };

interface PlanOptions {
  readonly account: AccountConfig;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The limit that it divides with other accounts. */
  readonly byAddress?: AssumedLimit;
  readonly limits?: AccountLimits;
}

interface LivePlanOptions extends PlanOptions {
  /** Called with the progress of work that takes long. */
  readonly tell: (text: string) => void;
  readonly guard: (secret: Secret) => void;
}

/** The plan of an account with what its platform answers, or why there is none. */
export async function livePlan(
  options: LivePlanOptions,
): Promise<AccountPlan | { readonly unreachable: string }> {
  const { account, clock, signal, tell, guard, byAddress, limits } = options;
  // A poll may wait for any number of operations, and all of them listen.
  setMaxListeners(0, signal);
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard, onNotice: (_, text) => tell(text) }),
    ...(byAddress !== undefined && { byAddress }),
  });
  const { scopes } = connection.platform;
  const progress = progressLines(options, connection);
  try {
    const readFor = (group: string) => connection.operations.readFor(group);
    const survey = new Survey({ account, readFor, scopes, limits });
    const final = await explore(survey, {
      ...PLANNING,
      signal,
      parts: ['discovery', 'settings', 'series'],
      onProgress: progress.take,
    });
    const unreachable = final === undefined ? refusedAll(survey) : (final.reason ?? final.outcome);
    if (unreachable !== undefined) return { unreachable };
    const listings = survey.listings();
    const unserved = survey.unserved();
    return planOf({
      account,
      jobs: survey.jobs(),
      findings: survey.findings,
      notes: [
        ...notesOf(survey),
        ...listings.flatMap(unmatchedNote),
        ...(unserved === undefined ? [] : [unserved]),
      ],
      listings,
      scopes,
    });
  } finally {
    progress.end();
    await connection.close();
  }
}

function unmatchedNote({ product: { api, slug }, unmatched }: Listing): string[] {
  if (unmatched.length === 0) return [];
  const quoted = unmatched.map((name) => JSON.stringify(name)).join(', ');
  const verb = unmatched.length === 1 ? 'matches' : 'match';
  return [
    `${quoted} in collectors.${api}.products.${slug}.configurations.include ${verb} no configuration of the account`,
  ];
}

/** Progress is worth a line this often (ms). */
const SPACING_MS = 5_000;

/** A wait of so long (ms) is worth a line. */
const LONG_WAIT_MS = 2_000;

/** That reads still wait for the quota is worth a line this often (ms). */
const STILL_MS = 60_000;

/** Reports progress now and then, a long wait at once, and every minute how long it may last: beside a hungry client for ever. */
function progressLines(
  { tell, clock }: Pick<LivePlanOptions, 'tell' | 'clock'>,
  { queue, platform: { scopes } }: Connection,
) {
  let toldAt = clock.now();
  let beganAt = clock.now();
  let last: ExploreProgress | undefined;
  let hasWaited = false;
  const still = new Timer(clock, () => {
    still.set(clock.now() + STILL_MS);
    const rests = queue.restsUntil(clock.now()) !== undefined;
    if (last !== undefined && (hasWaited || rests)) tell(stillWaits(last, (clock.now() - beganAt) / 1_000));
    hasWaited = false;
  });
  still.set(clock.now() + STILL_MS);
  const take = (progress: ExploreProgress) => {
    const { done, total, job } = progress;
    last = progress;
    if (done === 0) beganAt = clock.now();
    const wait = allowanceOf(scopes.of(job.group).limiter, clock.now()).until - clock.now();
    if (wait >= LONG_WAIT_MS) {
      hasWaited = true;
      tell(`waits ${duration(wait / 1_000)} for the quota`);
    }
    if (clock.now() < toldAt + SPACING_MS) return;
    toldAt = clock.now();
    tell(`${done} of ${total} reads done, next ${job.id}`);
  };
  return { take, end: () => still.set(Number.POSITIVE_INFINITY) };
}

function stillWaits({ done, total }: ExploreProgress, seconds: number): string {
  const left =
    done === 0
      ? ''
      : `, about ${duration((seconds / done) * (total - done))} left of it if it goes on like this`;
  return `still waits for the quota, of which other clients may take a part: ${done} of ${total} reads of this part done in ${duration(seconds)}${left}; --offline plans without any`;
}

interface OfflinePlanOptions extends PlanOptions {
  readonly counts: ListSizes;
  /** Operations per minute that the platform is taken to allow; otherwise the account's assumed limit. */
  readonly limit?: number | undefined;
}

/** The plan of an account for a platform of which only the sizes of its lists are given. */
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
  await explore(survey, { ...PLANNING, signal, parts: ['discovery', 'settings'] });
  // What made-up items show says nothing of what real ones would.
  const telling = survey.findings.map(({ series, ...finding }) =>
    partOf(finding.job) === 'discovery' && series !== undefined ? { ...finding, series } : finding,
  );
  const notes = [
    'offline: nothing was requested; each product is assumed to have the known metrics, and each metric to need one operation',
  ];
  return planOf({ account, jobs: survey.jobs(), findings: telling, notes, listings: [], scopes });
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

/** A platform of which only the sizes of lists are known: it answers with so many made-up items, and has the known metrics. */
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
  // It has series, so that REST is their source.
  if (/\/metrics\/\w+$/.test(path)) return { total: [] };
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
  return Object.entries<Collector>(COLLECTORS).find(([, { reads }]) => reads.includes(pattern))?.[0];
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
