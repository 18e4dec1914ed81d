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
  /** Maximum age (ms) of `until` in normal operation. */
  readonly expectedAge: number;
}

/**
 * Work that is polled repeatedly. A job only reads: `read` asks the platform, `conclude` returns the result. The poll runner
 * (`runner.ts`) commits, exposes and reports it. So `plan`, `doctor`, `backfill` and tests can use jobs too.
 */
export interface Job<Answer = unknown> {
  /** Id, unique within the account and stable across restarts. */
  readonly id: string;
  readonly subject: JobSubject;
  /** Cron pattern of its polls, in UTC; undefined for a follower. */
  readonly schedule: string | undefined;
  /** Group of its operations, which decides their limit scope: the first segment of their paths. */
  readonly group: string;
  /** Weight of its freshness, relative to other jobs. */
  readonly weight: number;
  /** Returns the expected number of operations per poll. */
  cost(): number;
  /** Asks the platform. @throws PlatformFailure if there is no usable answer */
  read(read: Read, signal: AbortSignal): Promise<Answer>;
  /**
   * Returns the result of an answer or of a failed read. Polls of a job and its follower conclude one after another.
   * @throws PlatformFailure if the answer is unusable; the failure of the read if it changes nothing
   */
  conclude(answer: Answer | PlatformFailure): PollResult | Promise<PollResult>;
  /** Returns the time (local ms) of an additional poll besides the schedule; undefined for none. */
  dueAt?(): number | undefined;
  /** Job that reads the data missing in this job's answers. It is polled only at its `dueAt`, and ends with this job. */
  readonly follower?: Job;
  /** Job that this one follows. Results are exposed under its name; undefined if this is no follower. */
  readonly follows?: Job;
  /**
   * Returns the age (ms since the end of the newest bucket) that the data reaches at this interval in normal operation. Undefined
   * while it is unknown, and for jobs without series.
   * @param now platform ms
   * @param metric default: the metric with the greatest expected age
   */
  expectedAge?(intervalMs: number, now: number, metric?: string): number | undefined;
  /** Returns the progress of the counters at this poll interval (ms); undefined before anything is counted. */
  counted?(intervalMs: number, now: number): CountedUntil | undefined;
}

/** Result of a poll. It has no effect until the poll runner commits it, adopts its memory, and exposes its samples. */
export interface PollResult {
  readonly outcome: 'ok' | 'empty';
  /** Dropped rows of the answer, by reason. */
  readonly rejected?: Rejections;
  /** Warning for the operator, as plain text; undefined for none. */
  readonly warning?: string | undefined;
  /** Reason why the read ended early; the result is valid nevertheless. */
  readonly failure?: PlatformFailure | undefined;
  /** Entries that are committed together before anything of the result is adopted or exposed. */
  readonly commit?: readonly StateEntry[];
  /** Samples to push, each with its own time. They are queued together with `commit`. */
  readonly timed?: readonly TimedSample[];
  /** Changes to the account's memory. */
  readonly memory?: readonly MemoryChange[];
  /** Evidence about the metrics that were read, for all targets of each metric. */
  readonly learned?: readonly LearnedEvidence[];
  /** Returns the samples that the job exposes from now on. @param committed true if the commit is durable */
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

/** Samples that replace those of the same part and job. */
export interface Exposure {
  readonly part: string;
  /** Series of the samples, for a job that reads several; undefined for the job as a whole. */
  readonly series?: { readonly id: string; readonly metric: string };
  readonly samples: readonly Sample[];
  /**
   * End (platform ms) of the bucket that the samples show. While the platform is up, they are exposed until they are older than
   * expected. Undefined if the value of the samples is itself a time.
   */
  readonly dataUntil?: number;
  /** True for samples that stay as long as the job, since they show the age of its data. */
  readonly lasts?: true;
}

/** Changes to counters by an answer. */
export interface Counting {
  /** Number of counted buckets, and of skipped ones, which the platform never delivered. */
  readonly counted: number;
  readonly skipped: number;
  readonly restated: readonly Restatements[];
}

/** Differences between an answer and the one before, in the buckets of both. */
export interface Restatements {
  /** Ages (ms since the bucket closed) at which changed buckets were seen. */
  readonly ages: readonly number[];
  /** Number of buckets whose value became smaller. */
  readonly downwards: number;
  /** Number of buckets that changed after they were counted. */
  readonly late: number;
  /** Sum of the absolute late changes, in the platform's unit. */
  readonly lateAmount: number;
}

/** Content of an answer to a read of series. */
export interface BucketsRead {
  readonly dimensions: number;
  /** Number of rows, including dropped ones. */
  readonly rows: number;
  /** Bucket width (ms); undefined if the answer does not show it. */
  readonly width: number | undefined;
  /** Share of missing buckets between others; undefined if the answer is too short to show it. */
  readonly missing?: number | undefined;
  /** Start of the newest bucket exposed as gauges (platform ms). */
  readonly newestExposed: number | undefined;
}

/** Setting of the platform that has changed since its last read. */
export interface SettingChange {
  readonly id: string;
  readonly name: string;
  /** Names of the changed fields of the API; values are never included. */
  readonly fields: readonly string[];
}

/** List of a product's configurations. */
export interface Discovery {
  readonly product: Product;
  readonly configurations: readonly Configuration[];
  readonly addressing: Addressing;
  /** True if another API listed them, since the product's own API has no such list. */
  readonly isFromElsewhere: boolean;
}

/** Failure of a poll whose rows were all rejected. */
export class RowsRejected extends PlatformFailure {
  readonly rejected: Rejections;

  constructor(rejected: Rejections) {
    const reasons = [...rejected].map(([reason, rows]) => `${rows} ${reason}`).join(', ');
    super('undecodable', `no row of the answer is usable: ${reasons}`);
    this.rejected = rejected;
  }
}

/** Outcome of a poll. */
export interface Ending {
  readonly outcome: Outcome;
  /** Reason of the failure, as a sentence; undefined on success. */
  readonly reason: string | undefined;
  /** Result, which may be partial after a failure; undefined if the poll has none. */
  readonly result: PollResult | undefined;
  /** True if the commit is durable. */
  readonly committed: boolean;
  /** Dropped rows of the answer, by reason; undefined if there was no answer. */
  readonly rejected: Rejections | undefined;
  /** Description of an answer that did not come from the platform; undefined if there was none. */
  readonly foreignAnswer: string | undefined;
}

/** Finished poll. */
export interface PollEnd extends Ending {
  readonly job: Job;
  /** Outcome of the poll before; undefined for the first. */
  readonly before: Outcome | undefined;
  /** Number of operations; a poll without any says nothing about the platform. */
  readonly operations: number;
  /** Time (ms) since the first operation was sent; 0 without operations. */
  readonly durationMs: number;
  /** Time (local ms) of the end. */
  readonly endedAt: number;
}

/** Ending of a poll without a result. */
export const BLANK: Ending = {
  outcome: 'empty',
  reason: undefined,
  result: undefined,
  committed: false,
  rejected: undefined,
  foreignAnswer: undefined,
};

/** Returns the ending of a poll that failed. */
export function failed(failure: PlatformFailure): Ending {
  return {
    ...BLANK,
    outcome: failure.outcome,
    reason: failure.message,
    rejected: failure instanceof RowsRejected ? failure.rejected : undefined,
    foreignAnswer: foreignAnswerOf(failure),
  };
}
