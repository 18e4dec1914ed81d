import { NO_POINTS, type Points, type Rejections, reject } from '../decode/points.ts';
import { reachesPresent } from '../settling/window.ts';
import { type DimensionLedger, EMPTY_DIMENSION, type Ledger, usualWidth } from './ledger.ts';
import { type Row, rowsOf } from './rows.ts';
import type { WindowedAnswer } from './series-source.ts';
import { type KnownWidth, nextWidth } from './width.ts';

/** Answer with the bucket widths and the platform's progress. */
export interface ReadAnswer {
  readonly dimensions: ReadonlyMap<string, ReadDimension>;
  /** Points of dimensions with a known bucket width. */
  readonly usable: ReadonlyMap<string, Points>;
  readonly rejected: Rejections;
  readonly progress: Progress;
  /** True if no row was dropped, and there is no gap between rows. */
  readonly isWhole: boolean;
}

/** One dimension of an answer. */
export interface ReadDimension extends KnownWidth {
  /** False while the bucket width is in doubt; then no row is usable. */
  readonly isKnown: boolean;
  readonly rows: readonly Row[];
  readonly usable: Points;
  /** Number of rows off the grid. */
  readonly misaligned: number;
}

/** Progress of the platform in an answer (platform ms). */
export interface Progress {
  readonly reachesPresent: boolean;
  /** Start of the last row, for any window; undefined if there is no row. */
  readonly last: number | undefined;
  /** Start and end of the newest bucket; undefined unless the answer reaches the present and has rows. */
  readonly newest: number | undefined;
  readonly end: number | undefined;
  /** End of the newest bucket of this or any earlier answer; undefined if none has rows. */
  readonly reached: number | undefined;
  /** True if the answer ends before an earlier one, as from a node that lags. Such an answer restates nothing. */
  readonly isBehind: boolean;
}

/** Reads an answer with the ledger's knowledge of each dimension. */
export function readAnswer(ledger: Ledger, answer: WindowedAnswer): ReadAnswer {
  const { series, rejected: dropped, valueless } = answer.decoded;
  const usual = usualWidth(ledger);
  const isPresent = reachesPresent(answer.window, answer.now);
  const rejected: Rejections = new Map(dropped);
  const dimensions = new Map<string, ReadDimension>();
  const usable = new Map<string, Points>();
  let hasGaps = false;
  for (const [name, points] of series) {
    const known = ledger.dimensions.get(name) ?? EMPTY_DIMENSION;
    const read = readDimension(known, points, startsOf(points, valueless?.get(name)), { usual, isPresent });
    reject(rejected, 'misaligned', read.misaligned);
    hasGaps ||= read.rows.some(({ isClear }, index) => !isClear && index < read.rows.length - 1);
    dimensions.set(name, read);
    if (read.isKnown) usable.set(name, read.usable);
  }
  const isWhole = rejected.size === 0 && !hasGaps;
  return { dimensions, usable, rejected, progress: progressOf(ledger, answer, dimensions), isWhole };
}

function readDimension(
  known: DimensionLedger,
  points: Points,
  starts: Float64Array,
  { usual, isPresent }: { readonly usual: number | undefined; readonly isPresent: boolean },
): ReadDimension {
  const { isKnown, ...next } = nextWidth(starts, { ...known, usual }, isPresent);
  const { width } = next;
  if (!isKnown || width === undefined)
    return { ...next, isKnown: false, rows: [], usable: NO_POINTS, misaligned: 0 };
  const recent = width === known.width ? known.recent : NO_POINTS;
  return { ...next, isKnown, ...rowsOf(points, starts, width, recent) };
}

/** Returns the starts of all buckets, including those without a usable value, ascending. */
function startsOf({ timestamps }: Points, valueless: Float64Array | undefined): Float64Array {
  if (valueless === undefined) return timestamps;
  return Float64Array.from(new Set([...timestamps, ...valueless])).sort();
}

function progressOf(
  ledger: Ledger,
  { window, now }: WindowedAnswer,
  dimensions: ReadonlyMap<string, ReadDimension>,
): Progress {
  let [newest, end] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { rows, width = 0 } of dimensions.values()) {
    const start = rows.at(-1)?.start;
    if (start === undefined || start < newest) continue;
    newest = start;
    end = Math.max(end, Math.min(now, start + width));
  }
  const last = newest === Number.NEGATIVE_INFINITY ? undefined : newest;
  const reaches = reachesPresent(window, now);
  // A bucket that ends in the future predates a step back of the platform's clock.
  const before = ledger.reached !== undefined && ledger.reached <= now ? ledger.reached : undefined;
  const shown = { reachesPresent: reaches, last };
  if (last === undefined || !reaches)
    return { ...shown, newest: undefined, end: undefined, reached: before, isBehind: false };
  const isBehind = before !== undefined && end < before;
  return { ...shown, newest: last, end, reached: Math.max(end, before ?? end), isBehind };
}
