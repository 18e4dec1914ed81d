import type { Decoded } from '../decode/decode.ts';
import type { Rejections } from '../decode/points.ts';
import type { Read } from '../platform/read.ts';
import type { ReadMode } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { matchesAny } from '../text/glob.ts';

/** Sources of series, by their names in the configuration. */
export type SourceName = 'rest' | 'graphql';

/** An answer with the window that was asked for. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** Platform's time when the answer came. */
  readonly now: number;
  /** Way in which its dimensions were read, if this read found that out. */
  readonly mode?: ReadMode | undefined;
}

/** Returns which dimensions the patterns of a configuration want. */
export function wantedBy(patterns: readonly string[]): (dimension: string) => boolean {
  return patterns.includes('*') ? everyDimension : matchesAny(patterns);
}

/** Wants every dimension. It is one function, so that series that want the same can be compared. */
export const everyDimension = (): boolean => true;

/** One metric of one target, as sources know it. */
export interface SeriesAsked {
  readonly target: Target;
  readonly metric: string;
  readonly wants: (dimension: string) => boolean;
}

/** A series, as far as a source needs it to read it. */
export interface ReadableSeries extends SeriesAsked {
  readonly id: string;
  /** Number of values of an open breakdown that have samples of their own; undefined for the default. */
  readonly top?: number | undefined;
  /** Dimensions that have counters now. */
  counterNames(): Iterable<string>;
}

/** One read of some series over one window. */
export interface WindowAsked<S extends ReadableSeries = ReadableSeries> {
  readonly series: readonly S[];
  /** Called once, when the first operation leaves. @param now platform ms */
  readonly window: (now: number) => Window;
  /** True for a read of the past: it may not change by which values a metric is broken down. */
  readonly isPast: boolean;
}

/** Answers for the series of one read. */
export interface GroupAnswer<S extends ReadableSeries = ReadableSeries> {
  readonly answers: readonly (readonly [S, WindowedAnswer])[];
  /** Rows dropped, each counted once although it may concern several series. */
  readonly rejected: Rejections;
  /** Advice for an operator, as a sentence. */
  readonly notice?: string | undefined;
}

/**
 * Reads a group of series from one of the platform's APIs, by as few operations as that API allows. The answers look the same
 * for all sources: points by dimension, and the window that was asked for. Every request goes through `read`.
 */
export interface SeriesSource {
  readonly name: SourceName;
  /** Group of its operations, for their limit scope. */
  readonly group: string;
  /** True if a longer window takes more operations. */
  readonly costsByWindow: boolean;
  /** Operations that one read of the present costs. */
  cost(series: readonly ReadableSeries[]): number;
  /** True if it can answer a dimension of a series: counters of others stand still. */
  answers(series: ReadableSeries, dimension: string): boolean;
  /** @throws PlatformFailure if there is no usable answer, and the signal's reason if it aborts */
  read<S extends ReadableSeries>(
    asked: WindowAsked<S>,
    read: Read,
    signal: AbortSignal,
  ): Promise<GroupAnswer<S>>;
}
