import type { Read } from '../platform/read.ts';
import type { PollResult } from './result.ts';

/** What a job reads, for labels, logs and the status page. */
export interface JobSubject {
  readonly collector: string;
  readonly product?: string;
  readonly configuration_id?: string;
  readonly configuration?: string;
  readonly metric?: string;
}

/** How far the counters of a job have come. */
export interface Counted {
  /** Up to where every bucket is counted or skipped (platform ms). */
  readonly until: number;
  /** How long ago (ms) that is at most when all is well. */
  readonly expectedAge: number;
}

/** Follow-up work, and when it may start (local ms). */
export interface FollowUp {
  readonly job: Job;
  readonly notBefore: number;
}

/**
 * A piece of work that is polled again and again. It only reads: `read` asks the platform, `conclude` says what was
 * found. Committing, exposing and reporting the result is the poll runner's (`runner.ts`), so that `plan`, `doctor`,
 * `backfill` and tests can use a job as it is.
 */
export interface Job<Answer = unknown> {
  /** Unique within the account, and the same across restarts. */
  readonly id: string;
  readonly subject: JobSubject;
  /** When it is due: a cron pattern, in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs, for their limit scope: the first segment of their paths. */
  readonly group: string;
  /** The job whose follow-up this is: it is withdrawn with that job, and exposes its results in that job's name. */
  readonly follows?: Job;
  /** How much its freshness matters, relative to the others. */
  readonly weight: number;
  /** Whether what comes of a poll may change which jobs there are. */
  readonly findsJobs?: boolean;
  /** Operations that one poll costs, as far as is known. */
  cost(): number;
  /** Asks the platform. @throws PlatformFailure when it gave no usable answer */
  read(read: Read, signal: AbortSignal): Promise<Answer>;
  /**
   * What an answer means for what this job has found before. Polls of one job and of those that follow it conclude one
   * after the other. @throws PlatformFailure when nothing of the answer is usable
   */
  conclude(answer: Answer): PollResult;
  /**
   * Age (ms, since the end of the newest bucket) that its data reaches when all is well and it is polled at this
   * interval; undefined where that is not known, and of work that brings no series.
   */
  expectedAge?(intervalMs: number): number | undefined;
  /** How far its counters have come when it is polled at this interval (ms); undefined where it counts nothing yet. */
  counted?(intervalMs: number): Counted | undefined;
  /** The work that is to follow, as of the last poll. */
  followUp?(): FollowUp | undefined;
}
