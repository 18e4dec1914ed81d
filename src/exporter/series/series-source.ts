import type { Decoded } from '../decode/decode.ts';
import type { Read } from '../platform/read.ts';
import type { ReadMode } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { matchesAny } from '../text/glob.ts';

/** The sources of series, by their names in the configuration. */
export type SourceName = 'rest' | 'graphql';

/** An answer with the window that was asked for. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** The platform's time when the answer came. */
  readonly now: number;
  /** How its dimensions were read, where that was found out by this read. */
  readonly mode?: ReadMode | undefined;
  /** What an operator should know of it, as a sentence. */
  readonly notice?: string;
}

/** Which dimensions the patterns of a configuration want. */
export function wantedBy(patterns: readonly string[]): (dimension: string) => boolean {
  return patterns.includes('*') ? everyDimension : matchesAny(patterns);
}

/** One function for all, since what is known of dimensions is kept by what is wanted of them. */
export const everyDimension = (): boolean => true;

/** What a job asks a source of data for: one metric of one target, over windows that it chooses later. */
export interface SeriesAsked {
  readonly target: Target;
  readonly metric: string;
  /** Whether a dimension is wanted. */
  readonly wants: (dimension: string) => boolean;
  /** Whether the metric's dimensions come in one operation or by one operation each, as far as is known. */
  readonly mode: () => ReadMode;
  /** Of a metric by values that no list holds: how many of them have series of their own. */
  readonly most?: number | undefined;
}

/** The counters that an answer is read for. */
export interface CountersAsked {
  /** Their dimensions, as of when it comes. */
  readonly dimensions: () => Iterable<string>;
  /** Whether the answer may have other dimensions than these; one about the past may not. */
  readonly mayChange: boolean;
}

/**
 * Reads one metric of one target, whichever API the platform answers by. What it returns is the same for all of them: series
 * with their width, what was dropped, and the window that was asked for. Settling, counting and exposing know no more. Every
 * request goes by `read`, which paces it, stops it where another replica owns the account, and has its headers observed.
 */
export interface SourceReader {
  readonly name: SourceName;
  /** The group of operations that it performs, for their limit scope. */
  readonly group: string;
  /** The dimensions that answers can hold; undefined where they can hold any. Counters of others stand still until a source brings them again. */
  readonly dimensions: ReadonlySet<string> | undefined;
  /** Whether a longer window takes more operations. */
  readonly costsByWindow: boolean;
  /** Whether the next read asks another source first; by default none does. */
  readonly triesAnother?: boolean;
  /** Operations that one read costs: a share of one, where one operation serves many readers. */
  cost(): number;
  /**
   * @param window computed when the operation leaves, not before
   * @param counters left out where nothing is counted
   * @throws PlatformFailure when there is no usable answer, and the signal's reason when it aborts
   */
  read(
    read: Read,
    window: (now: number) => Window,
    signal: AbortSignal,
    counters?: CountersAsked,
  ): Promise<WindowedAnswer>;
}
