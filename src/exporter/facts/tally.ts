import type { JobStatus } from '../status.ts';
import { type JobFacts, readsSeries, showsBuckets } from './job-facts.ts';

/** Counts of the jobs of an account, or of one part of it. */
export interface Tally {
  readonly jobs: number;
  readonly waiting: number;
  readonly running: number;
  /** Jobs without a finished poll, including followers. */
  readonly unpolled: number;
  /** Jobs without a finished poll, excluding followers. */
  readonly pending: number;
  /**
   * Scheduled jobs before their first poll, those with series among them, and the expected time of the last one (ISO; may be
   * empty).
   */
  readonly unread: number;
  readonly unreadSeries: number;
  readonly readBy: string;
  /** Jobs that have asked the platform, and those whose last poll failed. */
  readonly polled: number;
  readonly failing: number;
  /** Jobs with late data, and jobs with late counters. */
  readonly late: number;
  readonly behind: number;
  /** Greatest age (s) of late counters, by part. */
  readonly behindBy: ReadonlyMap<string, number>;
  /** Jobs with series, and jobs whose series or settings are current. */
  readonly series: number;
  readonly inTime: number;
  /** Jobs with series that have had no bucket yet. */
  readonly without: number;
  /** Outcomes of the last polls: with content, empty, and not found. */
  readonly found: number;
  readonly empty: number;
  readonly unknown: number;
  readonly hadSettings: boolean;
  /** True if the jobs ever had data. Settings count only if no series are expected. */
  readonly hadData: boolean;
  /** Age (s) of the oldest data; undefined if there is none. */
  readonly oldestSeconds: number | undefined;
  /** Expected age (s) of the oldest data; undefined if there is none. */
  readonly expectedSeconds: number | undefined;
  /** Oldest last success (ISO) of the jobs without buckets; `null` if there is none. */
  readonly oldestSuccessAt: string | null;
  /** Newest success, and start of the newest poll that ended with a 429 (ISO; may be empty). */
  readonly newestSuccessAt: string;
  readonly newestRefusalAt: string;
  /** Mean share of missing buckets in answers; undefined if no answer shows it. */
  readonly missingShare: number | undefined;
  /**
   * True if reads of series are permitted; false if one was forbidden and none has succeeded since for longer than its interval.
   */
  readonly seriesPermitted: boolean | undefined;
}

/** Returns the counts of these jobs. */
export function tallyOf(all: readonly JobFacts[]): Tally {
  const unpolled = all.filter(({ job }) => job.last_outcome === null);
  const unread = unpolled.filter(({ job }) => !isAsNeeded(job));
  const polled = all.filter(isProof);
  const buckets = all.filter(({ job }) => showsBuckets(job));
  const dated = buckets.filter(({ job }) => job.data_age_seconds !== null);
  const behind = all.filter(({ behindSeconds }) => behindSeconds !== undefined);
  const reads = polled.filter(({ job }) => readsSeries(job));
  const settings = polled.filter(({ job }) => !readsSeries(job) && job.last_outcome === 'ok');
  const oldest = dated.toSorted((a, b) => ageOf(b) - ageOf(a))[0]?.job;
  const wantsSeries = reads.some(({ job, failure }) => failure !== undefined || showsBuckets(job));
  const unbucketed = all.filter(({ job }) => !showsBuckets(job));
  return {
    jobs: all.length,
    waiting: all.filter(({ job }) => job.state === 'waiting').length,
    running: all.filter(({ job }) => job.state === 'running').length,
    unpolled: unpolled.length,
    pending: unpolled.filter(({ job }) => job.catches_up_for === undefined).length,
    unread: unread.length,
    unreadSeries: unread.filter(({ job }) => showsBuckets(job)).length,
    readBy: latest(unread.map(({ job }) => job.next_at)),
    polled: polled.length,
    failing: polled.filter(({ failure }) => failure !== undefined).length,
    late: all.filter(({ isLate }) => isLate).length,
    behind: behind.length,
    behindBy: greatestByPart(behind),
    series: buckets.length,
    inTime: dated.filter(({ isLate }) => !isLate).length + settings.length,
    without: buckets.length - dated.length,
    found: countOf(polled, 'ok'),
    empty: countOf(polled, 'empty'),
    unknown: countOf(polled, 'not_found'),
    hadSettings: settings.length > 0,
    hadData: oldest !== undefined || (settings.length > 0 && !wantsSeries),
    oldestSeconds: oldest?.data_age_seconds ?? undefined,
    expectedSeconds: oldest?.expected_age_seconds ?? undefined,
    oldestSuccessAt: earliest(unbucketed.map(({ job }) => job.last_success_at)),
    newestSuccessAt: latest(polled.map(({ job }) => job.last_success_at)),
    newestRefusalAt: latest(
      polled.map(({ job, failure }) => (failure === 'rate_limited' ? job.last_polled_at : null)),
    ),
    missingShare: meanOf(buckets.flatMap(({ job }) => job.missing_share ?? [])),
    seriesPermitted: permitted(reads),
  };
}

/** Returns true for a follower or reconciliation, which are polled only if there is something to read. */
function isAsNeeded({ catches_up_for, collector }: JobStatus): boolean {
  return catches_up_for !== undefined || collector === 'reconciliation';
}

/** Returns true if the last poll asked the platform. Reconciliation often has nothing to ask. */
function isProof({ job, failure }: JobFacts): boolean {
  if (job.last_outcome === null || job.last_polled_at === null) return false;
  return job.collector !== 'reconciliation' || failure !== undefined;
}

function countOf(facts: readonly JobFacts[], outcome: JobStatus['last_outcome']): number {
  return facts.filter(({ job }) => job.last_outcome === outcome).length;
}

function ageOf({ job }: JobFacts): number {
  return job.data_age_seconds ?? 0;
}

function greatestByPart(behind: readonly JobFacts[]): ReadonlyMap<string, number> {
  const greatest = new Map<string, number>();
  for (const { part, behindSeconds = 0 } of behind)
    greatest.set(part, Math.max(behindSeconds, greatest.get(part) ?? 0));
  return greatest;
}

function permitted(reads: readonly JobFacts[]): boolean | undefined {
  const served = reads.filter(({ failure }) => failure === undefined);
  const forbiddenAt = latest(
    reads.map(({ job, failure }) => (failure === 'forbidden' ? job.last_polled_at : null)),
  );
  if (latest(served.map(({ job }) => job.last_polled_at)) >= forbiddenAt) return true;
  // A list is read too rarely to prove anything until its next read.
  const until = served.map(({ job }) => {
    const interval = Math.max(60, showsBuckets(job) ? (job.interval_seconds ?? 0) : 0);
    return Date.parse(job.last_polled_at ?? '') + 1_500 * interval;
  });
  return greatestOf(until) < Date.parse(forbiddenAt) ? false : undefined;
}

/** Returns the latest of ISO times; empty if there is none. */
export function latest(times: readonly (string | null)[]): string {
  return times.reduce<string>((last, time) => (time !== null && time > last ? time : last), '');
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (first, time) => (first === null || (time !== null && time < first) ? time : first),
    null,
  );
}

/** Returns the greatest number; 0 if there is none. There may be too many numbers for the arguments of `Math.max`. */
export function greatestOf(numbers: readonly number[]): number {
  return numbers.reduce((greatest, number) => Math.max(greatest, number), 0);
}

function meanOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
