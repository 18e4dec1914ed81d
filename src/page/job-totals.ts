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
  /** By part of the platform. */
  readonly parts: readonly TalliedPart[];
  /** Its place in the configuration, so that it keeps its id on the page. */
  readonly index: number;
}

/** The jobs of one part of an account, which is a product, or a collector where that knows no products. */
export interface TalliedPart {
  readonly name: string;
  readonly first: JobStatus;
  readonly tally: Tally;
  /** Whether every poll found that there is nothing of the kind, or the platform that it serves none. */
  readonly isAbsent: boolean;
}

/** Each account with its jobs added up, in small steps; each job is looked at once. */
export function* tallyAccounts(accounts: readonly AccountStatus[]): Generator<undefined, TalliedAccount[]> {
  const tallied: TalliedAccount[] = [];
  for (const [index, account] of accounts.entries()) {
    const whole = new Sum();
    const parts = new Map<string, PartSum>();
    for (const job of account.jobs) {
      const name = partOf(job);
      const part = parts.get(name) ?? { first: job, sum: new Sum(), isAbsent: true };
      parts.set(name, part);
      whole.take(job);
      part.sum.take(job);
      part.isAbsent &&= job.last_outcome === 'empty' || job.last_outcome === 'not_found';
      yield;
    }
    const talliedParts = Array.from(parts, ([name, { first, sum, isAbsent }]) => ({
      name,
      first,
      tally: sum.tally(),
      isAbsent,
    }));
    tallied.push({ account, tally: whole.tally(), parts: talliedParts, index });
    yield;
  }
  return tallied;
}

interface PartSum {
  readonly first: JobStatus;
  readonly sum: Sum;
  isAbsent: boolean;
}

/** Jobs that are being added up. */
class Sum {
  readonly #counts = { jobs: 0, failing: 0, waiting: 0, late: 0, lateThoughRead: 0, behind: 0 };
  readonly #behindBy = new Map<string, number>();
  readonly #reasons = new Map<string, number>();
  readonly #failures = new Map<FailureOutcome, number>();
  readonly #ages = new Ages();

  take(job: JobStatus): void {
    const counts = this.#counts;
    counts.jobs += 1;
    const failure = failureOf(job);
    if (failure !== undefined) {
      counts.failing += 1;
      count(this.#failures, failure);
      count(this.#reasons, job.last_reason ?? failure);
    }
    if (job.state === 'waiting') counts.waiting += 1;
    if (isLate(job)) {
      counts.late += 1;
      if (isRead(job)) counts.lateThoughRead += 1;
    }
    const behind = secondsBehind(job);
    if (behind !== undefined) {
      counts.behind += 1;
      const part = partOf(job);
      this.#behindBy.set(part, Math.max(behind, this.#behindBy.get(part) ?? 0));
    }
    this.#ages.take(job);
  }

  tally(): Tally {
    const { oldestSeconds, without, oldestSuccessAt } = this.#ages;
    return {
      ...this.#counts,
      behindSeconds: Math.max(0, ...this.#behindBy.values()),
      behindParts: greatestFirst(this.#behindBy),
      failure: greatestFirst(this.#failures)[0],
      reasons: greatestFirst(this.#reasons),
      oldestSeconds,
      without,
      oldestSuccessAt,
    };
  }
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
