import type { Sample, TimedSample } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Rejections } from '../decode/points.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { type Outcome, PlatformFailure, type Read } from '../platform/read.ts';
import type { MetricEvidence } from '../settling/learned.ts';
import type { LearnedMetric } from '../settling/learned-metrics.ts';
import type { MemoryChange } from '../state/account-memory.ts';
import type { StateEntry } from '../state/state.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import type { Addressing } from '../targets/target.ts';

/** Subject of a job, for labels, logs and the status page. */
export interface JobSubject {
  readonly collector: string;
  readonly product?: string;
  readonly configuration_id?: string;
  readonly configuration?: string;
  readonly metric?: string;
}

/** Progress of a job's counters. */
export interface CountedUntil {
  /** Time (platform ms) until which every bucket is counted or skipped. */
  readonly until: number;
  /** Age (ms) of that when all is well, at most. */
  readonly expectedAge: number;
}

/**
 * Work that is polled again and again. A job only reads: `read` asks the platform, `conclude` returns the result. The
 * poll runner (`runner.ts`) commits, exposes and reports it, so that `plan`, `doctor`, `backfill` and tests can use jobs too.
 */
export interface Job<Answer = unknown> {
  /** Unique within the account, and the same across restarts. */
  readonly id: string;
  readonly subject: JobSubject;
  /** Cron pattern of its polls, in UTC; undefined for a follower. */
  readonly schedule: string | undefined;
  /** The group of operations that it performs, for their limit scope: the first segment of their paths. */
  readonly group: string;
  /** Weight of its freshness, relative to other jobs. */
  readonly weight: number;
  /** Operations that one poll costs, as far as is known. */
  cost(): number;
  /** Asks the platform. @throws PlatformFailure when it gave no usable answer */
  read(read: Read, signal: AbortSignal): Promise<Answer>;
  /**
   * Returns what an answer changes, or a failed read. Polls of a job and its follower conclude one after another.
   * @throws PlatformFailure if nothing of the answer is usable; the failure of the read if it changes nothing
   */
  conclude(answer: Answer | PlatformFailure): PollResult | Promise<PollResult>;
  /** Returns when (local ms) it is to be polled besides its schedule, as of its last poll; undefined if it is not. */
  dueAt?(): number | undefined;
  /** Work on what this job's answers lack: it is polled only while its `dueAt` says so, and goes with this job. */
  readonly follower?: Job;
  /** The job whose follower this is: results are exposed in that job's name. */
  readonly follows?: Job;
  /**
   * Returns the age (ms, since the end of the newest bucket) that its data reaches if all is well and it is polled at
   * this interval; undefined if that is not known, and for work without series.
   * @param now the platform's time
   * @param metric default: the one with the oldest expected data
   */
  expectedAge?(intervalMs: number, now: number, metric?: string): number | undefined;
  /** Returns how far its counters have come when it is polled at this interval (ms); undefined if it counts nothing yet. */
  counted?(intervalMs: number, now: number): CountedUntil | undefined;
}

/** Result of a poll. Nothing has changed yet: the poll runner commits it, adopts what is remembered, and exposes it. */
export interface PollResult {
  readonly outcome: 'ok' | 'empty';
  /** Rows of the answer that were dropped. */
  readonly rejected?: Rejections;
  /** Warning for an operator, in plain words. */
  readonly warning?: string | undefined;
  /** Why the read ended early; the result is valid nevertheless. */
  readonly failure?: PlatformFailure | undefined;
  /** Becomes durable as a whole before anything of it is adopted or exposed. */
  readonly commit?: readonly StateEntry[];
  /** To be pushed, each at its own time; put into the outbox with `commit`, or not at all. */
  readonly timed?: readonly TimedSample[];
  /** Changes of the account's memory. */
  readonly memory?: readonly MemoryChange[];
  /** Evidence about the metrics that it read, for all targets of each metric. */
  readonly learned?: readonly LearnedEvidence[];
  /** Returns what the job exposes from now on. @param committed true if the commit is durable */
  exposures(committed: boolean): readonly Exposure[];
  readonly counting?: Counting | undefined;
  readonly buckets?: BucketsRead;
  readonly unknownDimensions?: readonly string[];
  readonly settingChanges?: readonly SettingChange[];
  readonly discovery?: Discovery;
  /** Names of the metrics that the analytics API lists. */
  readonly metrics?: readonly string[];
}

/** Evidence about a metric, for all its targets. */
export interface LearnedEvidence {
  readonly metric: LearnedMetric;
  readonly evidence: MetricEvidence;
}

/** Samples to be exposed in place of those that the job exposed as the same part before. */
export interface Exposure {
  readonly part: string;
  /** The series that it shows, of a job that reads several; undefined for the job as a whole. */
  readonly series?: { readonly id: string; readonly metric: string };
  readonly samples: readonly Sample[];
  /**
   * End (platform ms) of the bucket that the samples show. While the platform is up, they are exposed until they are
   * older than expected. Undefined if their own value is a time.
   */
  readonly dataUntil?: number;
  /** True if they stay as long as the job, since they show how old its data is. */
  readonly lasts?: true;
}

/** Change of counters by an answer. */
export interface Counting {
  /** Buckets taken in, and buckets skipped since the platform never delivered them. */
  readonly counted: number;
  readonly skipped: number;
  readonly restated: readonly Restatements[];
}

/** Difference between an answer and the one before, in the buckets that both hold. */
export interface Restatements {
  /** Ages (ms since the bucket closed) at which a bucket was seen changed. */
  readonly ages: readonly number[];
  /** Number of buckets that became smaller. */
  readonly downwards: number;
  /** Buckets that changed after they were counted. */
  readonly late: number;
  /** Sum of the absolute changes, in the platform's unit. */
  readonly lateAmount: number;
}

/** Content of an answer to a read of series. */
export interface BucketsRead {
  readonly dimensions: number;
  /** Rows, the dropped ones included. */
  readonly rows: number;
  /** Width in ms; undefined where the answer does not show it. */
  readonly width: number | undefined;
  /** Share of buckets that the answer lacks between others, where it shows that. */
  readonly missing?: number | undefined;
  /** Start of the newest bucket exposed as gauges (platform ms). */
  readonly newestExposed: number | undefined;
}

/** A setting of the platform that differs from what it was when it was read before. */
export interface SettingChange {
  readonly id: string;
  readonly name: string;
  /** Fields of the API that differ; never their values. */
  readonly fields: readonly string[];
}

/** The configurations of a product as listed. */
export interface Discovery {
  readonly product: Product;
  readonly configurations: readonly Configuration[];
  readonly addressing: Addressing;
  /** True if another API listed them, since the product's own has no such list. */
  readonly isFromElsewhere: boolean;
}

/** An answer that is of no use, because all of its rows are bad. */
export class RowsRejected extends PlatformFailure {
  readonly rejected: Rejections;

  constructor(rejected: Rejections) {
    const reasons = [...rejected].map(([reason, rows]) => `${rows} ${reason}`).join(', ');
    super('undecodable', `no row of the answer is usable: ${reasons}`);
    this.rejected = rejected;
  }
}

/** End of a poll. */
export interface Ending {
  readonly outcome: Outcome;
  /** Why it failed, as a sentence. */
  readonly reason: string | undefined;
  /** Result, as far as the poll went before it failed; undefined if it found nothing. */
  readonly result: PollResult | undefined;
  /** True if the commit is durable. */
  readonly committed: boolean;
  /** Rows of the answer that were dropped. */
  readonly rejected: Rejections | undefined;
  /** Oddity of the answer, if something other than the platform answered. */
  readonly foreignAnswer: string | undefined;
}

/** A finished poll. */
export interface PollEnd extends Ending {
  readonly job: Job;
  /** End of the poll before; undefined for the first. */
  readonly before: Outcome | undefined;
  /** Operations that it performed; with none, it says nothing about the platform. */
  readonly operations: number;
  /** Time (ms) since its first operation left; 0 if none did. */
  readonly durationMs: number;
  /** Local ms. */
  readonly endedAt: number;
}

/** Nothing was found. */
export const BLANK: Ending = {
  outcome: 'empty',
  reason: undefined,
  result: undefined,
  committed: false,
  rejected: undefined,
  foreignAnswer: undefined,
};

/** A poll that failed. */
export function failed(failure: PlatformFailure): Ending {
  return {
    ...BLANK,
    outcome: failure.outcome,
    reason: failure.message,
    rejected: failure instanceof RowsRejected ? failure.rejected : undefined,
    foreignAnswer: foreignAnswerOf(failure),
  };
}
