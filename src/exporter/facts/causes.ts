import { groupedBy } from '../grouped-by.ts';
import type { JobStatus } from '../status.ts';
import { duration, grouped } from '../text/figures.ts';
import {
  type Cause,
  type CauseKind,
  type Covered,
  NOTABLE_STRETCH,
  type SeenAccount,
  TOLERATED_MISSING,
} from './cause.ts';
import { wordsOf, wordsWhenDown } from './cause-catalogue.ts';
import { isWithinQuota, type JobFacts, TOLERATED_SECONDS } from './job-facts.ts';
import { greatestOf, type Tally } from './tally.ts';

/** Cause with the names of the parts that it covers. */
export interface FoundCause extends Cause {
  readonly covers: ReadonlySet<string>;
}

/** Order of causes: those of the whole account first, then refusals, then lateness. */
const ORDER: readonly CauseKind[] = [
  'unauthorized',
  'rate_limited',
  'network',
  'timeout',
  'server_error',
  'forbidden',
  'not_found',
  'not_acceptable',
  'undecodable',
  'quota',
  'platform_late',
  'exporter_late',
];

/** Failures that can take a whole account down. Others, such as a missing permission, concern single parts. */
const OF_THE_WHOLE = ['unauthorized', 'server_error', 'network', 'timeout', 'rate_limited'] as const;

/** Least difference of the clocks (s) that is reported. */
const CLOCK_SKEW_SECONDS = 30;

/** Returns all causes of an account and its parts, the one that explains most first. */
export function causesOf(seen: SeenAccount): FoundCause[] {
  const { account, whole, jobs, tallies } = seen;
  const covered = coveredByKind(seen);
  if (account.up === false) return [down(seen, covered)];
  if (isRefused(seen) && !covered.some(({ kind }) => kind === 'rate_limited'))
    covered.push(sumOf('rate_limited', []));
  const hasProducts = jobs.some(({ job }) => job.product !== undefined);
  const isOfTraffic = (one: Covered) =>
    one.jobs.length === 0 || !hasProducts || one.jobs.some(({ job }) => job.product !== undefined);
  const rank = (one: Covered) => {
    if (one.late * 2 > whole.late) return 0;
    return one.late > 0 ? 1 : isOfTraffic(one) ? 2 : 3;
  };
  const covering = covered
    .sort((a, b) => rank(a) - rank(b) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
    .map((one) => coveringCause(one, seen));
  const isOfTrafficCovered = covered.some(isOfTraffic);
  const { hadData, late, unread, series, pending } = whole;
  const isNothingThere = (!hadData || (series === 0 && hasProducts)) && !isOfTrafficCovered;
  const nothing = pending > 0 || whole.jobs === 0 ? 'first_polls' : 'nothing_there';
  const notRead = hadData && unread > 0 ? quietCause('not_read_yet', seen, unread, unreadParts(tallies)) : [];
  return [
    ...(isNothingThere ? quietCause(nothing, seen, whole.jobs) : []),
    ...(unread > late ? notRead : []),
    ...(late > 0 ? covering : []),
    ...(unread > late ? [] : notRead),
    ...lackingCauses(seen),
    ...(late > 0 ? [] : covering),
    ...accountCauses(seen, covered),
  ];
}

/** Returns causes that leave counters incomplete although polls succeed. */
function lackingCauses(seen: SeenAccount): FoundCause[] {
  const { behind, behindBy } = seen.whole;
  const lacking = [...seen.tallies].filter(([, { missingShare = 0 }]) => missingShare > TOLERATED_MISSING);
  const series = lacking.reduce((sum, [, tally]) => sum + tally.series, 0);
  const parts = lacking.map(([name]) => name);
  return [
    ...(parts.length > 0 ? quietCause('rows_missing', seen, series, parts) : []),
    ...(behind > 0 ? quietCause('counters_behind', seen, behind, behindBy.keys()) : []),
  ];
}

/** Returns causes that concern the account as a whole. */
function accountCauses(seen: SeenAccount, covered: readonly Covered[]): FoundCause[] {
  const { stretch, clock_moved: moved, clock_skew_seconds: skew } = seen.account;
  const isQuotaCovered = isRefused(seen) || covered.some(({ kind }) => kind === 'quota');
  return [
    ...(stretch >= NOTABLE_STRETCH && !isQuotaCovered ? quietCause('quota', seen) : []),
    ...(Math.abs(skew) >= CLOCK_SKEW_SECONDS
      ? quietCause(moved === 'platform' ? 'platform_clock' : 'clock', seen)
      : []),
  ];
}

function quietCause(
  kind: CauseKind,
  seen: SeenAccount,
  jobs = 0,
  covers: Iterable<string> = [],
): FoundCause[] {
  const words = wordsOf(kind, seen);
  const alike = kind === 'nothing_there' ? { alike: words.text } : {};
  return [{ kind, ...words, ...alike, symptoms: [], jobs, covers: new Set(covers) }];
}

function unreadParts(tallies: SeenAccount['tallies']): string[] {
  return [...tallies].flatMap(([name, { unread }]) => (unread > 0 ? name : []));
}

function isRefused({ account }: SeenAccount): boolean {
  return account.quota.some(({ stopped_until: until }) => until !== null);
}

function coveringCause(one: Covered, seen: SeenAccount): FoundCause {
  const words = wordsOf(one.kind, seen, one);
  return {
    kind: one.kind,
    ...words,
    ...(!TIMED.has(one.kind) && { alike: words.text }),
    symptoms: symptomsOf(one, seen.whole),
    jobs: one.jobs.length,
    covers: new Set(one.jobs.map(({ part }) => part)),
  };
}

/** Causes whose texts contain figures or times, and whose remedy is the same for all accounts. */
const TIMED: ReadonlySet<CauseKind> = new Set(['rate_limited', 'quota', 'platform_late', 'exporter_late']);

/** Returns the jobs that fail or are late, by kind of cause. */
function coveredByKind(seen: SeenAccount): Covered[] {
  const kindOf = (facts: JobFacts): CauseKind | undefined =>
    facts.failure ?? (facts.isLate ? lateBecause(facts.job, seen) : undefined);
  const byKind = groupedBy(seen.jobs, kindOf);
  return [...byKind].flatMap(([kind, jobs]) => (kind === undefined ? [] : [sumOf(kind, jobs)]));
}

function sumOf(kind: CauseKind, jobs: readonly JobFacts[]): Covered {
  const late = jobs.filter(({ isLate }) => isLate);
  return {
    kind,
    jobs,
    failing: jobs.filter(({ failure }) => failure !== undefined).length,
    late: late.length,
    oldestSeconds: greatestOf(late.map(({ job }) => job.data_age_seconds ?? 0)),
  };
}

/** Returns the cause of a late job whose last poll succeeded. */
function lateBecause(job: JobStatus, seen: SeenAccount): CauseKind {
  const { account, whole, now } = seen;
  const { waits_for: waitsFor, interval_seconds: interval, last_success_at: success } = job;
  if (isRefused(seen) || waitsFor === 'rate_limited') return 'rate_limited';
  if (waitsFor === 'unauthorized') return 'unauthorized';
  // A poll that has just become due makes nothing late, and the exporter is not at fault for one that the platform refused.
  const graceMs = 1_000 * ((interval ?? 0) + TOLERATED_SECONDS);
  const hasTurn = job.state !== 'idle' || now > Date.parse(job.next_at ?? '') + 1_000 * TOLERATED_SECONDS;
  const isOverdue = hasTurn && now - Date.parse(success ?? '') > graceMs;
  if (isOverdue && now - Date.parse(whole.newestRefusalAt) < graceMs) return 'rate_limited';
  const waitsForQuota = waitsFor === 'probe' || waitsFor === 'spent' || waitsFor === 'reserved';
  const isStretched = isWithinQuota(job) || account.stretch >= NOTABLE_STRETCH;
  if ((waitsForQuota && isOverdue) || isStretched) return 'quota';
  return isOverdue ? 'exporter_late' : 'platform_late';
}

/** Returns the cause of an account that is not served at all. */
function down(seen: SeenAccount, covered: readonly Covered[]): FoundCause {
  const { account, whole } = seen;
  const [worst] = covered
    .filter(({ kind }) => OF_THE_WHOLE.some((outcome) => outcome === kind))
    .sort((a, b) => b.failing - a.failing);
  const kind = worst?.kind === 'unauthorized' || worst?.kind === 'server_error' ? worst.kind : 'unreachable';
  return {
    kind,
    ...wordsWhenDown(kind, seen),
    alike: account.note,
    symptoms: symptomsOf({ ...whole, oldestSeconds: whole.oldestSeconds ?? 0 }, whole),
    jobs: whole.jobs,
    covers: new Set(seen.tallies.keys()),
  };
}

function symptomsOf(
  { failing, late, oldestSeconds }: Pick<Covered, 'failing' | 'late' | 'oldestSeconds'>,
  whole: Tally,
): string[] {
  const all = `${grouped(whole.jobs)} jobs`;
  const fail = `${grouped(failing)} of ${all} ${failing === 1 ? 'fails' : 'fail'}`;
  const old = `${grouped(late)} of ${all} show data older than expected, up to ${duration(oldestSeconds)}`;
  return [...(failing === 0 ? [] : [fail]), ...(late === 0 ? [] : [old])];
}
