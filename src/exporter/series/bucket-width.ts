import type { Decoded, UnclearRow } from '../decode/decode.ts';
import { NO_POINTS, type Points, reject } from '../decode/points.ts';
import { USUAL_SETTLE_MS } from '../settling/learned.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { isSame, type SeenBuckets } from './seen-buckets.ts';
import { partsOf } from './spans.ts';
import { type WidthDoubt, widthByDoubt } from './width-doubt.ts';

/** What is known of the width of a series' buckets before an answer is looked at. */
export interface KnownWidth {
  /** The width of the answers before (ms); undefined for the first. */
  readonly known: number | undefined;
  readonly seen: SeenBuckets | undefined;
  readonly doubt: WidthDoubt | undefined;
}

/** An answer needs this many rows to show a width below the minute that the platform is known for. */
const MANY_ROWS = 20;

/**
 * The bucket width of an answer to a window of an hour or less, in ms; undefined where it is in doubt. The platform
 * is known to give minutes for such windows. Rows that lie further apart are wider buckets, or what is left of an
 * answer that lost every second row: to take those for wide buckets would lose the others unseen.
 */
export function answerWidth(decoded: Decoded, { known, seen, doubt }: KnownWidth): number | undefined {
  const { width: apart } = decoded;
  const rows = mostRows(decoded);
  if (apart === undefined) return rows === 0 || (rows === 1 && isAlone(known)) ? known : undefined;
  if (apart === known) return known;
  if (apart < MINUTE_MS && rows < MANY_ROWS) return undefined;
  const expected = known ?? MINUTE_MS;
  if (apart <= expected) return expected % apart === 0 || known === undefined ? apart : undefined;
  // Rows beside the grid of the others show that some buckets are narrower.
  if (apart % expected !== 0 || decoded.rejected.has('misaligned')) return undefined;
  const reason = seen?.width === expected ? widerOrHoled(decoded, apart, seen) : undefined;
  if (reason !== undefined) return reason === 'wider' ? apart : expected;
  return doubt && widthByDoubt(doubt, decoded, { known, expected });
}

/** Of any series. */
function mostRows({ series }: Decoded): number {
  let most = 0;
  for (const { timestamps } of series.values()) most = Math.max(most, timestamps.length);
  return most;
}

/** Whether an answer to an hour or less may well have a single bucket; one of minutes has lost the others. */
function isAlone(known: number | undefined): boolean {
  return known !== undefined && known >= FINEST_WINDOW_MS / 2;
}

/** One bucket may by chance be as large as the sum of others; this many are not. */
const AGREEING_BUCKETS = 2;

/**
 * Why the rows of an answer lie further apart than the buckets seen before: they are wider where each holds the sum of
 * those seen in its time; the answer lacks rows where the values seen at the same times are unchanged.
 */
function widerOrHoled(decoded: Decoded, apart: number, seen: SeenBuckets): 'wider' | 'holed' | undefined {
  const verdicts = [...verdictsOn(decoded, apart, seen)];
  const wider = verdicts.filter((verdict) => verdict === 'wider').length;
  if (wider === 0 && verdicts.length > 0) return 'holed';
  return wider === verdicts.length && wider >= AGREEING_BUCKETS ? 'wider' : undefined;
}

/** For each row whose time was seen before: whether it is wider, or others are missing after it. */
function* verdictsOn({ series }: Decoded, apart: number, seen: SeenBuckets): Generator<'wider' | 'holed'> {
  for (const [name, points] of series) {
    const earlier = seen.series.get(name) ?? NO_POINTS;
    const settled = Number(earlier.timestamps.at(-1)) - USUAL_SETTLE_MS;
    for (const [index, time] of points.timestamps.entries()) {
      if (time + apart > settled) break;
      const parts = partsOf(earlier, time, apart, seen.width);
      if (parts?.rest === undefined || parts.rest === 0) continue;
      const value = Number(points.values[index]);
      if (value === parts.first) yield 'holed';
      else if (isSame(value, parts.first + parts.rest)) yield 'wider';
    }
  }
}

/** Moves rows whose width the answer does not show to `unclear`. */
export function withoutUnclear(decoded: Decoded): Decoded {
  const { width } = decoded;
  if (width === undefined) return decoded;
  const ends = unclearEnds(startsIn(decoded), width);
  if (ends.size === 0) return decoded;
  const series = new Map(decoded.series);
  const unclear = new Map<string, readonly UnclearRow[]>();
  const rejected = new Map(decoded.rejected);
  for (const [name, points] of decoded.series) {
    const rows = unclearRows(points, ends);
    if (rows.length === 0) continue;
    series.set(name, without(points, ends));
    unclear.set(name, rows);
    reject(rejected, 'unclear_width', rows.length);
  }
  return unclear.size === 0 ? decoded : { ...decoded, series, rejected, unclear };
}

/** Where the buckets of an answer begin, ascending: those of all series, with those that have no usable value. */
function startsIn({ series, valueless }: Decoded): number[] {
  const starts = new Set<number>();
  for (const { timestamps } of series.values()) for (const time of timestamps) starts.add(time);
  for (const timestamps of valueless?.values() ?? []) for (const time of timestamps) starts.add(time);
  return [...starts].sort((a, b) => a - b);
}

/**
 * For each bucket of unclear width, by its start, the latest time at which it can end: where the next begins. A bucket is
 * clear if the next follows at once, or if no wider one can begin there. The newest has no next: it counts as narrow, unless
 * it lies where another such wide bucket could begin.
 */
function unclearEnds(starts: readonly number[], width: number): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const last = Number(starts.at(-1));
  for (let place = 0; place + 1 < starts.length; place += 1) {
    const [start, next] = [Number(starts[place]), Number(starts[place + 1])];
    const gap = next - start;
    // Several in a row at the same distance are wide, wherever they begin.
    const isRegular = gap === start - Number(starts[place - 1]) || gap === Number(starts[place + 2]) - next;
    const isAnyWidth = gap > width && isRegular;
    if (!isAnyWidth && !mayBeWider(start, width, next)) continue;
    ends.set(start, next);
    if (last % gap === 0 || (isAnyWidth && (last - start) % gap === 0))
      ends.set(last, Number.POSITIVE_INFINITY);
  }
  return ends;
}

/** Whether a bucket that begins at `start` may be wider, and end by `end`, where buckets begin at multiples of their width. */
function mayBeWider(start: number, width: number, end: number): boolean {
  for (let wider = 2 * width; start + wider <= end; wider += width) if (start % wider === 0) return true;
  return false;
}

function unclearRows({ timestamps, values }: Points, ends: ReadonlyMap<number, number>): UnclearRow[] {
  const rows: UnclearRow[] = [];
  for (let index = 0; index < timestamps.length; index += 1) {
    const start = Number(timestamps[index]);
    const end = ends.get(start);
    if (end !== undefined) rows.push({ start, end, value: Number(values[index]) });
  }
  return rows;
}

function without({ timestamps, values }: Points, dropped: ReadonlyMap<number, number>): Points {
  const isKept = (_: number, index: number) => !dropped.has(Number(timestamps[index]));
  return { timestamps: timestamps.filter(isKept), values: values.filter(isKept) };
}
