import type { Sample, TimedSample } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Rejections } from '../decode/points.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { type Outcome, PlatformFailure } from '../platform/outcome.ts';
import type { StateEntry } from '../state/state.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import type { Addressing } from '../targets/target.ts';

/** What a poll found. Nothing has changed yet: the poll runner commits it, has it adopted, and hands it on. */
export interface PollResult {
  readonly outcome: 'ok' | 'empty';
  /** Rows of the answer that were dropped. */
  readonly rejected?: Rejections;
  /** What an operator should know of the answer, in plain words. */
  readonly warning?: string | undefined;
  /** Why the read ended early; the result is valid nevertheless. */
  readonly failure?: PlatformFailure | undefined;
  /** Becomes durable as a whole before anything of it is adopted or exposed. */
  readonly commit?: readonly StateEntry[];
  /** To be pushed, each at its own time; put into the outbox with `commit`, or not at all. */
  readonly timed?: readonly TimedSample[];
  /**
   * The job takes over what was found; what was to be committed only if it is durable now. Called once. Returns what
   * the job exposes from now on.
   */
  adopt(committed: boolean): readonly Exposure[];
  readonly counting?: Counting | undefined;
  readonly buckets?: BucketsRead;
  readonly unknownDimensions?: readonly string[];
  readonly settingChanges?: readonly SettingChange[];
  readonly discovery?: Discovery;
  /** Names of the metrics that the analytics API lists. */
  readonly metrics?: readonly string[];
}

/** Samples to be exposed in place of those that the job exposed as the same part before. */
export interface Exposure {
  readonly part: string;
  readonly samples: readonly Sample[];
  /**
   * How long ago (ms) the bucket ended that the samples show: while the platform is up they are exposed only until they
   * are older than data of the job should be. Undefined where they tell their time themselves.
   */
  readonly dataAgeMs?: number;
}

/** How an answer changed counters. */
export interface Counting {
  /** Buckets taken in, and buckets skipped since the platform never delivered them. */
  readonly counted: number;
  readonly skipped: number;
  readonly restated: readonly Restatements[];
}

/** How an answer differs from the one before it, in the buckets that both hold. */
export interface Restatements {
  /** Ages (ms since the bucket closed) at which a bucket was seen changed. */
  readonly ages: readonly number[];
  /** How many of them had become smaller. */
  readonly downwards: number;
  /** Buckets that changed after they were counted. */
  readonly late: number;
  /** By how much they changed in all, in the platform's unit: what grew does not make up for what shrank. */
  readonly lateAmount: number;
}

/** What an answer to a read of series held. */
export interface BucketsRead {
  readonly dimensions: number;
  /** Rows, the dropped ones included. */
  readonly rows: number;
  /** Width in ms; undefined where the answer does not show it. */
  readonly width: number | undefined;
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

/** How a poll ended. */
export interface Ending {
  readonly outcome: Outcome;
  /** Why it failed, as a sentence. */
  readonly reason: string | undefined;
  /** What it found, as far as it went before it failed; undefined when it found nothing. */
  readonly result: PollResult | undefined;
  /** Whether what was to be committed is durable. */
  readonly committed: boolean;
  /** Rows of the answer that were dropped. */
  readonly rejected: Rejections | undefined;
  /** What was strange about the answer, when it failed since it was not the platform that answered. */
  readonly foreignAnswer: string | undefined;
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
