import type { Rejections } from '../decode/points.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';

/** What a job is about, for labels, logs and the status page. */
export interface JobSubject {
  readonly collector: string;
  readonly product?: string;
  readonly configuration_id?: string;
  readonly configuration?: string;
  readonly metric?: string;
}

/** How a poll ended when it did not fail. */
export interface PollReport {
  readonly outcome: 'ok' | 'empty';
  readonly rejected?: Rejections;
  /** Start of the newest bucket shown (platform ms). */
  readonly lastBucketAt?: number;
}

/** An answer of which nothing could be used, because every one of its rows was bad. */
export class RowsRejected extends PlatformFailure {
  readonly rejected: Rejections;

  constructor(rejected: Rejections) {
    const reasons = [...rejected].map(([reason, rows]) => `${rows} ${reason}`).join(', ');
    super('undecodable', `no row of the answer is usable: ${reasons}`);
    this.rejected = rejected;
  }
}

/** Work that has become necessary, and when it may start (local ms). */
export interface FollowUp {
  readonly job: Job;
  readonly notBefore: number;
}

/** A piece of work that is polled again and again. */
export interface Job {
  /** Unique within the account, and the same across restarts. */
  readonly id: string;
  readonly subject: JobSubject;
  /** When it is due: a cron pattern, in UTC; undefined for work that only follows other work. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs, for their limit scope: the first segment of their paths. */
  readonly group: string;
  /** The job whose follow-up this is; it goes when that goes. */
  readonly follows?: Job;
  /** How much its freshness matters, relative to the others. */
  readonly weight: number;
  /** Operations that one poll costs, as far as is known. */
  cost(): number;
  /** @throws PlatformFailure when the platform gave no usable answer */
  poll(read: Read, signal: AbortSignal): Promise<PollReport>;
  /** Told when the job is no longer wanted: what it shows goes at once. */
  withdraw?(): void;
  /** What the poll just finished has made necessary. */
  followUp?(): FollowUp | undefined;
}
