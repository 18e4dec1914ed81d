import type { FailureOutcome } from '../platform/outcome.ts';
import type { AccountStatus, JobStatus } from '../status.ts';
import { failureOf, isLate, isRead, partOf, secondsBehind, showsBuckets } from './job-selection.ts';

/** Jobs added up. */
export interface Tally {
  readonly jobs: number;
  readonly failing: number;
  readonly waiting: number;
  /** Jobs whose data is older than it should be. */
  readonly late: number;
  /** Those of them whose last poll succeeded, and that wait for none: the platform has nothing newer. */
  readonly lateThoughRead: number;
  /** Jobs whose counters end longer ago than they should. */
  readonly behind: number;
  /** How long ago (s) those of them end that are the furthest behind; 0 where none is. */
  readonly behindSeconds: number;
  /** The parts of the platform that they belong to, the furthest behind first. */
  readonly behindParts: readonly string[];
  /** Seconds since the end of the newest bucket of the series that is furthest behind; undefined while there is none. */
  readonly oldestSeconds: number | undefined;
  /** Series of which no bucket is held. */
  readonly without: number;
  /** When what has no buckets was read last, of that which was read longest ago. */
  readonly oldestSuccessAt: string | null;
  /** How most of those that fail do. */
  readonly failure: FailureOutcome | undefined;
  /** Why, in plain words, the most frequent first. */
  readonly reasons: readonly string[];
}

/** An account with its jobs added up. */
export interface TalliedAccount {
  readonly account: AccountStatus;
  readonly tally: Tally;
  /** Its place in the configuration, so that it keeps its id on the page. */
  readonly index: number;
}

/** Each account with its jobs added up. */
export function tallyAccounts(accounts: readonly AccountStatus[]): TalliedAccount[] {
  return accounts.map((account, index) => ({ account, tally: tallyOf(account.jobs), index }));
}

/** Adds up jobs; each is looked at once. */
export function tallyOf(jobs: readonly JobStatus[]): Tally {
  const sum = { failing: 0, waiting: 0, late: 0, lateThoughRead: 0, behind: 0 };
  const behindBy = new Map<string, number>();
  const reasons = new Map<string, number>();
  const failures = new Map<FailureOutcome, number>();
  const ages = new Ages();
  for (const job of jobs) {
    const failure = failureOf(job);
    if (failure !== undefined) {
      sum.failing += 1;
      count(failures, failure);
      count(reasons, job.last_reason ?? failure);
    }
    if (job.state === 'waiting') sum.waiting += 1;
    if (isLate(job)) {
      sum.late += 1;
      if (isRead(job)) sum.lateThoughRead += 1;
    }
    const behind = secondsBehind(job);
    if (behind !== undefined) {
      sum.behind += 1;
      behindBy.set(partOf(job), Math.max(behind, behindBy.get(partOf(job)) ?? 0));
    }
    ages.take(job);
  }
  const { oldestSeconds, without, oldestSuccessAt } = ages;
  const behind = { behindSeconds: Math.max(0, ...behindBy.values()), behindParts: greatestFirst(behindBy) };
  const found = { failure: greatestFirst(failures)[0], reasons: greatestFirst(reasons) };
  return { jobs: jobs.length, ...sum, ...behind, ...found, oldestSeconds, without, oldestSuccessAt };
}

/** Whichever of the jobs shows the oldest data. */
class Ages implements Pick<Tally, 'oldestSeconds' | 'without' | 'oldestSuccessAt'> {
  oldestSeconds: number | undefined;
  without = 0;
  oldestSuccessAt: string | null = null;

  take(job: JobStatus): void {
    if (!showsBuckets(job)) this.#takeRead(job.last_success_at);
    else if (job.data_age_seconds === null) this.without += 1;
    else this.oldestSeconds = Math.max(job.data_age_seconds, this.oldestSeconds ?? job.data_age_seconds);
  }

  #takeRead(at: string | null): void {
    if (at !== null && (this.oldestSuccessAt === null || at < this.oldestSuccessAt))
      this.oldestSuccessAt = at;
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function greatestFirst<Key>(counts: ReadonlyMap<Key, number>): Key[] {
  return [...counts].sort(([, a], [, b]) => b - a).map(([key]) => key);
}
