import { groupedBy } from '../grouped-by.ts';
import type { ObservedAccount } from '../status.ts';
import { duration } from '../text/figures.ts';
import type { Cause, CauseKind } from './cause.ts';
import { causesOf } from './causes.ts';
import { factsOfJob, type JobFacts } from './job-facts.ts';
import { type Tally, tallyOf } from './tally.ts';

/**
 * State of an account, or of a part of it:
 * - `starting`: the first polls are under way, and nothing has failed,
 * - `no_data`: no configured target has ever had data,
 * - `down`: there was data, but no read succeeds now,
 * - `late`: gauges or counters are older than expected,
 * - `partly_missing`: some jobs were never read, or answers lack buckets,
 * - `partly_failing`: some jobs fail, but the exposed data is current,
 * - `well`: everything is read, and all data is current.
 */
export type AccountState =
  | 'no_data'
  | 'down'
  | 'late'
  | 'partly_missing'
  | 'partly_failing'
  | 'starting'
  | 'well';

/** Facts about one part of an account: a product, or a collector without products. */
export interface PartFacts {
  readonly name: string;
  readonly product: string | undefined;
  readonly collector: string;
  readonly state: AccountState;
  /** Start of the state (ISO), or of this process if that is later. */
  readonly since: string;
  /** Kind of the first cause that covers any job of the part; undefined if none does, or if the part is well. */
  readonly cause: CauseKind | undefined;
  /** Value of `edge_data_available`: true if everything was read and most data is current; `null` if the account lacks the part. */
  readonly hasData: boolean | null;
  readonly tally: Tally;
}

/** Facts about an account at one moment. All outputs about its condition render these facts. */
export interface Facts {
  readonly state: AccountState;
  /** Start of the state (ISO), or of this process if that is later. */
  readonly since: string;
  /** Value of `edge_up`: true if the platform answers reads of the account; `null` before the first poll has ended. */
  readonly up: boolean | null;
  /** State and cause as a predicate, such as `has no data yet: the platform refuses reads (429)`. */
  readonly says: string;
  /** Causes, the worst first, which explains the state. An account that is well may have minor ones. */
  readonly causes: readonly Cause[];
  readonly tally: Tally;
  readonly parts: readonly PartFacts[];
}

/** Time (ms) without a success before a 429, after which the account is down. */
const REFUSED_FOR_MS = 90_000;

/**
 * Returns the facts of an account's status at `now` (ms since the epoch).
 * @param before earlier facts; an unchanged state keeps its start
 */
export function factsOf(account: ObservedAccount, now: number, before?: Facts): Facts {
  const jobs = account.jobs.map(factsOfJob);
  const byPart = groupedBy(jobs, ({ part }) => part);
  const tally = tallyOf(jobs);
  const tallies = new Map(Array.from(byPart, ([name, part]) => [name, tallyOf(part)]));
  const up = isUp(account, tally);
  const found = causesOf({ account, jobs, whole: tally, tallies, up, now });
  const causes = found.map(({ covers: _, ...cause }) => cause);
  const isRefused = account.quota.some(({ stopped_until: until }) => until !== null);
  const state = stateOf(tally, { up, kinds: causes.map(({ kind }) => kind), isRefused });
  const former = new Map(before?.parts.map((part) => [part.name, part]));
  const parts = Array.from(byPart, ([name, part]): PartFacts => {
    const own = tallies.get(name) ?? tallyOf(part);
    const covering = found.filter(({ covers }) => covers.has(name)).map(({ kind }) => kind);
    const isDown = up === false && own.hadData;
    const state = isDown ? 'down' : partState(own, part, covering);
    return {
      name,
      product: part[0]?.job.product,
      collector: part[0]?.job.collector ?? name,
      state,
      since: sinceOf(state, account, now, former.get(name)),
      cause: state === 'well' ? undefined : covering[0],
      hasData: hasData(own, part[0]?.job.product, tally),
      tally: own,
    };
  });
  const since = sinceOf(state, account, now, before);
  return { state, since, up, says: saidOf(state, causes, tally), causes, tally, parts };
}

function sinceOf(
  state: AccountState,
  { up, up_since: upSince }: ObservedAccount,
  now: number,
  before: Pick<Facts, 'state' | 'since'> | undefined,
): string {
  if (state === 'down' && up === false && upSince !== null) return upSince;
  return before?.state === state ? before.since : new Date(now).toISOString();
}

/** Returns false only if no job's last poll succeeded, or the limit refuses all. One part may lack a permission or a path. */
function isUp({ up }: ObservedAccount, whole: Tally): boolean | null {
  if (up !== true) return up;
  if (whole.polled === 0) return null;
  if (whole.failing === whole.polled) return false;
  return !(Date.parse(whole.newestRefusalAt) - Date.parse(whole.newestSuccessAt) > REFUSED_FOR_MS);
}

interface StateContext {
  readonly up: boolean | null;
  readonly kinds: readonly CauseKind[];
  /** True while the platform refuses a limit scope (429). */
  readonly isRefused: boolean;
}

function stateOf(tally: Tally, { up, kinds, isRefused }: StateContext): AccountState {
  const { hadData, late, behind, failing, unread } = tally;
  if (!hadData) return kinds[0] === 'first_polls' ? 'starting' : 'no_data';
  if (up === false) return 'down';
  if (unread > late) return 'partly_missing';
  if (late > 0 || behind > 0) return 'late';
  if (unread > 0 || kinds.includes('rows_missing')) return 'partly_missing';
  return failing > 0 || isRefused ? 'partly_failing' : 'well';
}

/** Returns the state of a part. A part without series, such as the list of metrics, is well if it was read. */
function partState(tally: Tally, part: readonly JobFacts[], kinds: readonly CauseKind[]): AccountState {
  const { polled, failing, pending, series } = tally;
  const up = failing < polled || polled === 0;
  if (series === 0 && failing === 0) return pending > 0 && polled === 0 ? 'starting' : 'well';
  const isStarting = part.every(({ failure }) => failure === undefined) && pending > 0;
  return stateOf(tally, { up, kinds: isStarting ? ['first_polls'] : kinds, isRefused: false });
}

function saidOf(state: AccountState, causes: readonly Cause[], tally: Tally): string {
  const text = causes[0]?.text;
  const because = text === undefined ? '' : `: ${text}`;
  const { oldestSeconds, hadSettings, late } = tally;
  switch (state) {
    case 'well': {
      const oldest = oldestSeconds === undefined ? '' : `: the oldest data is ${duration(oldestSeconds)} old`;
      return `is fresh${oldest}${text === undefined ? '' : `; ${text}`}`;
    }
    case 'starting':
      return `is starting${because}`;
    case 'no_data':
      return `has no ${hadSettings ? 'traffic ' : ''}data yet${because}`;
    case 'down':
      return `is down${because}`;
    case 'late':
      return late > 0
        ? `shows data up to ${duration(oldestSeconds ?? 0)} old${because}`
        : `is behind${because}`;
    case 'partly_missing':
      return `is read in part${because}`;
    case 'partly_failing':
      return `is fresh in part${because}`;
  }
}

function hasData(tally: Tally, product: string | undefined, whole: Tally): boolean | null {
  const { inTime, late, oldestSeconds, jobs, empty, unknown, series, failing, unreadSeries } = tally;
  if (unreadSeries > 0 || late > inTime) return false;
  if (inTime > 0) return true;
  // The list was read, and contains nothing with series.
  if (product !== undefined && series === 0 && failing === 0) return null;
  // A 404 proves nothing if every read is answered with 404.
  const isAbsent = empty === jobs || (empty + unknown === jobs && whole.found > 0);
  return isAbsent && oldestSeconds === undefined ? null : false;
}
