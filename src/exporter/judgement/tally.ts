import type { FailureOutcome } from '../platform/read.ts';
import type { JobStatus } from '../status.ts';

/** The part of the platform that a job belongs to: its product, or its collector where that knows no products. */
export function partOf({ product, collector }: JobStatus): string {
  return product ?? (collector === 'discovery' ? 'the list of analytics metrics' : collector);
}

/** How the job's last poll failed; undefined where it did not. */
export function failureOf({ last_outcome: outcome }: JobStatus): FailureOutcome | undefined {
  return outcome === null || outcome === 'ok' || outcome === 'empty' ? undefined : outcome;
}

/** Whether the job's last poll failed. */
export function isFailing(job: JobStatus): boolean {
  return failureOf(job) !== undefined;
}

/** Whether what the job brings has an age of its own, that of its newest bucket. */
export function showsBuckets({ metric, catches_up_for }: JobStatus): boolean {
  return metric !== undefined && catches_up_for === undefined;
}

/** By how much (s) data may be older than expected: a poll that comes a bucket later is no trouble. */
export const TOLERATED_SECONDS = 60;

/** Whether the newest bucket is older than it should be. */
export function isLate(job: JobStatus): boolean {
  const { data_age_seconds: age, expected_age_seconds: expected } = job;
  return age !== null && expected !== null && age > expected + TOLERATED_SECONDS;
}

/** Whether data is as fresh as the quota allows at the intervals that it stretches, though not as the schedule asks. */
export function isWithinQuota({ data_age_seconds: age, allowed_age_seconds: allowed }: JobStatus): boolean {
  return age !== null && allowed !== null && age <= allowed + TOLERATED_SECONDS;
}

/**
 * How much older (s) than expected what is counted may be, as for the alert EdgeCountersBehind: buckets that the platform
 * lacks are waited for.
 */
export const TOLERATED_BEHIND_SECONDS = 3_600;

/** How long ago (s) the counters end, where that is longer than it should be; undefined where it is not. */
export function secondsBehind(job: JobStatus): number | undefined {
  const { counted_age_seconds: seconds, expected_counted_age_seconds: expected } = job;
  if (seconds === null || expected === null) return undefined;
  return seconds > expected + TOLERATED_BEHIND_SECONDS ? seconds : undefined;
}

/** Collectors whose reads need the permission to read series: those of series, and of lists of configurations. */
const READS_OF_SERIES: readonly string[] = ['metrics', 'analytics', 'discovery', 'reconciliation'];

/** Whether the job needs the permission to read series. */
export function readsSeries({ collector }: JobStatus): boolean {
  return READS_OF_SERIES.includes(collector);
}

/** What is asked of a job more than once, and takes its time to find out. */
export interface JobFacts {
  readonly job: JobStatus;
  readonly part: string;
  readonly failure: FailureOutcome | undefined;
  readonly late: boolean;
  readonly ageSeconds: number | null;
  /** How long ago (s) its counters end, where that is too long. */
  readonly behindSeconds: number | undefined;
}

export function factsOf(job: JobStatus): JobFacts {
  return {
    job,
    part: partOf(job),
    failure: failureOf(job),
    late: isLate(job),
    ageSeconds: job.data_age_seconds,
    behindSeconds: secondsBehind(job),
  };
}

/** Jobs that are being added up. */
export class Sum {
  jobs = 0;
  waiting = 0;
  running = 0;
  /** Jobs of which no poll has ended yet. */
  unpolled = 0;
  /** That have asked the platform, and those whose first poll has yet to end. */
  polled = 0;
  pending = 0;
  /** Jobs with a schedule that wait for their first poll, those of them that show series, and when the last of their turns comes, as far as it is known. */
  unread = 0;
  unreadSeries = 0;
  readBy = '';
  failing = 0;
  /** Jobs whose data is older than it should be, and those whose counters end longer ago than they should. */
  late = 0;
  behind = 0;
  /** Jobs that show series, and those whose data, of series or of settings, is in time. */
  series = 0;
  inTime = 0;
  /** Series that have no bucket yet. */
  without = 0;
  /** How the last polls ended: with something, with nothing, or without there being such a thing. */
  found = 0;
  empty = 0;
  unknown = 0;
  hadSettings = false;
  newestSuccessAt = '';
  /** When the newest poll began that the limit refused (429). */
  newestRefusalAt = '';
  /** Series whose answers show how many buckets they lack, and the shares of these, added up. */
  #measured = 0;
  #missing = 0;
  /** How far (s) counters are behind that are, by part. */
  readonly behindBy = new Map<string, number>();
  /** Seconds since the end of the newest bucket of the series that is furthest behind; undefined while there is none. */
  oldestSeconds: number | undefined;
  /** When what has no buckets was read last, of that which was read longest ago. */
  oldestSuccessAt: string | null = null;
  /** After how many seconds the first of what is in time is late, unless something newer comes. */
  lateInSeconds = Number.POSITIVE_INFINITY;
  /** Whether series are asked for, rather than settings alone. */
  #wantsSeries = false;
  /** Of the reads of series: when the newest began that succeeded, when one was forbidden, and until when (ms) a success counts. */
  #newestServedAt = '';
  #newestForbiddenAt = '';
  #servedUntil = 0;

  /**
   * Whether reads of series are permitted: `true` if one has succeeded since one was last forbidden, `false` if none of
   * those that should have has succeeded for so long.
   */
  get seriesPermitted(): boolean | undefined {
    if (this.#newestServedAt >= this.#newestForbiddenAt) return true;
    return this.#servedUntil < Date.parse(this.#newestForbiddenAt) ? false : undefined;
  }

  /** Mean share of buckets that answers lack; undefined where none shows it. */
  get missingShare(): number | undefined {
    return this.#measured === 0 ? undefined : this.#missing / this.#measured;
  }

  /** How long ago (s) the counters end that are the furthest behind, of those that are; 0 where none is. */
  get behindSeconds(): number {
    return Math.max(0, ...this.behindBy.values());
  }

  /** Whether what is asked for was ever there; where series are, settings do not stand in for them. */
  get hadData(): boolean {
    return this.oldestSeconds !== undefined || (this.hadSettings && !this.#wantsSeries);
  }

  take(facts: JobFacts): void {
    const { job, part, late, behindSeconds } = facts;
    this.jobs += 1;
    if (job.state === 'waiting') this.waiting += 1;
    if (job.state === 'running') this.running += 1;
    if (job.last_outcome === null) this.#takeUnpolled(job);
    if (late) this.late += 1;
    if (behindSeconds !== undefined) {
      this.behind += 1;
      this.behindBy.set(part, Math.max(behindSeconds, this.behindBy.get(part) ?? 0));
    }
    this.#takeOutcome(facts);
    if (showsBuckets(job)) this.#takeSeries(facts);
    else this.#takeWithoutBuckets(job);
  }

  #takeUnpolled(job: JobStatus): void {
    this.unpolled += 1;
    if (job.catches_up_for !== undefined || job.collector === 'reconciliation') return;
    this.unread += 1;
    if (showsBuckets(job)) this.unreadSeries += 1;
    this.readBy = later(this.readBy, job.next_at ?? '');
  }

  #takeWithoutBuckets({ last_success_at: success }: JobStatus): void {
    if (success !== null && success < (this.oldestSuccessAt ?? '~')) this.oldestSuccessAt = success;
  }

  #takeOutcome({ job, failure }: JobFacts): void {
    const { last_outcome: outcome, last_polled_at: polledAt, last_success_at: success } = job;
    if (outcome === null && job.catches_up_for === undefined) this.pending += 1;
    // A poll that had nothing to ask proves nothing of the platform; and reconciliation often has nothing to ask.
    if (outcome === null || polledAt === null) return;
    if (job.collector === 'reconciliation' && failure === undefined) return;
    this.polled += 1;
    if (failure !== undefined) this.failing += 1;
    if (success !== null) this.newestSuccessAt = later(success, this.newestSuccessAt);
    if (outcome === 'ok') this.found += 1;
    if (outcome === 'empty') this.empty += 1;
    if (outcome === 'not_found') this.unknown += 1;
    if (outcome === 'rate_limited') this.newestRefusalAt = later(polledAt, this.newestRefusalAt);
    if (readsSeries(job)) this.#takeReadOfSeries(job, failure, polledAt);
    else if (outcome === 'ok') {
      this.hadSettings = true;
      this.inTime += 1;
    }
  }

  #takeReadOfSeries(job: JobStatus, failure: FailureOutcome | undefined, polledAt: string): void {
    if (failure !== undefined || showsBuckets(job)) this.#wantsSeries = true;
    if (failure === 'forbidden') this.#newestForbiddenAt = later(polledAt, this.#newestForbiddenAt);
    if (failure !== undefined) return;
    this.#newestServedAt = later(polledAt, this.#newestServedAt);
    // A list is read too rarely to prove what is permitted until it is read again.
    const interval = Math.max(60, showsBuckets(job) ? (job.interval_seconds ?? 0) : 0);
    this.#servedUntil = Math.max(this.#servedUntil, Date.parse(polledAt) + 1_500 * interval);
  }

  #takeSeries({ job, ageSeconds, late }: JobFacts): void {
    this.series += 1;
    if (job.missing_share !== null) {
      this.#measured += 1;
      this.#missing += job.missing_share;
    }
    if (ageSeconds === null) {
      this.without += 1;
      return;
    }
    if (!late) {
      this.inTime += 1;
      const expected = job.expected_age_seconds ?? Number.POSITIVE_INFINITY;
      this.lateInSeconds = Math.min(this.lateInSeconds, expected + TOLERATED_SECONDS - ageSeconds);
    }
    this.oldestSeconds = Math.max(ageSeconds, this.oldestSeconds ?? ageSeconds);
  }
}

/** Jobs added up. */
export type Tally = Readonly<Sum>;

/** The later of two ISO times; either may be empty. */
export function later(a: string, b: string): string {
  return a > b ? a : b;
}

export function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

export function greatestFirst<Key>(counts: ReadonlyMap<Key, number>): Key[] {
  return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
}
