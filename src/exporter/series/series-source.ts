import type { Decoded } from '../decode/decode.ts';
import type { Rejections } from '../decode/points.ts';
import type { Read } from '../platform/read.ts';
import type { ReadMode } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { matchesAny } from '../text/glob.ts';

/** Names of the sources of series, as in the configuration. */
export type SourceName = 'rest' | 'graphql';

/** Answer with its requested window. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** Platform's time when the answer arrived (ms). */
  readonly now: number;
  /** Way in which the dimensions were read, if this read discovered it. */
  readonly mode?: ReadMode | undefined;
}

/** Returns a function that selects dimensions by the patterns of a configuration. */
export function wantedBy(patterns: readonly string[]): (dimension: string) => boolean {
  return patterns.includes('*') ? everyDimension : matchesAny(patterns);
}

/** Selects every dimension. It is a single function, so that equal selections are identical. */
export const everyDimension = (): boolean => true;

/** One metric of one target, as sources know it. */
export interface SeriesAsked {
  readonly target: Target;
  readonly metric: string;
  readonly wants: (dimension: string) => boolean;
}

/** Series with the properties that a source needs to read it. */
export interface ReadableSeries extends SeriesAsked {
  readonly id: string;
  /** Number of values of an open breakdown with separate samples; undefined for the default. */
  readonly top?: number | undefined;
  /** Returns the dimensions that have counters now. */
  counterNames(): Iterable<string>;
}

/** One read of some series over one window. */
export interface WindowAsked<S extends ReadableSeries = ReadableSeries> {
  readonly series: readonly S[];
  /** Returns the window. It is called once, when the first operation is sent. @param now platform ms */
  readonly window: (now: number) => Window;
  /** True for a read of the past, which must not change the values of an open breakdown. */
  readonly isPast: boolean;
}

/** Answers for the series of one read. */
export interface GroupAnswer<S extends ReadableSeries = ReadableSeries> {
  readonly answers: readonly (readonly [S, WindowedAnswer])[];
  /** Dropped rows by reason. Each is counted once, even if it concerns several series. */
  readonly rejected: Rejections;
  /** Advice for the operator, as a sentence; undefined for none. */
  readonly notice?: string | undefined;
}

/**
 * Source that reads a group of series from one of the platform's APIs, with as few operations as that API allows. The answers have
 * the same form for all sources: points by dimension, and the requested window. Every request goes through `read`.
 */
export interface SeriesSource {
  readonly name: SourceName;
  /** Group of its operations, which decides their limit scope. */
  readonly group: string;
  /** True if a longer window takes more operations. */
  readonly costsByWindow: boolean;
  /** Returns the number of operations of one read of the present. */
  cost(series: readonly ReadableSeries[]): number;
  /** Returns true if it can answer a dimension of a series. Counters of other dimensions stand still. */
  answers(series: ReadableSeries, dimension: string): boolean;
  /** Reads the series. @throws PlatformFailure if there is no usable answer, and the signal's reason if it aborts */
  read<S extends ReadableSeries>(
    asked: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>>;
}
