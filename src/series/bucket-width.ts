import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points, type RejectionReason, type Rejections, reject } from '../decode/points.ts';
import { USUAL_SETTLE_MS } from '../settling/delays.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { isSame, partsOf, type SeenBuckets } from './seen-buckets.ts';
import { type WidthDoubt, widthByDoubt } from './width-doubt.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** What is known of the width of a series' buckets before an answer is looked at. */
export interface KnownWidth {
  /** The width of the answers before (ms); undefined for the first. */
  readonly known: number | undefined;
  readonly seen: SeenBuckets | undefined;
  readonly doubt: WidthDoubt | undefined;
}

/** An answer to a window of an hour or less, with how wide its buckets are. */
export interface SizedAnswer {
  /** Without the rows that may be wider buckets than its others. */
  readonly answer: WindowedAnswer;
  /** In ms; undefined where it is in doubt. */
  readonly width: number | undefined;
  /** The rows that cannot be used, by reason: all of them where the width is in doubt. */
  readonly rejected: Rejections;
}

/** How wide the buckets of an answer are, and which of its rows are of that width. */
export function sized(answered: WindowedAnswer, known: KnownWidth): SizedAnswer {
  const decoded = withoutWideRows(answered.decoded, known.seen);
  const answer = decoded === answered.decoded ? answered : { ...answered, decoded };
  const width = answerWidth(decoded, known);
  if (width !== undefined) return { answer, width, rejected: decoded.rejected };
  const rejected = new Map(decoded.rejected);
  for (const { timestamps } of decoded.series.values()) reject(rejected, 'unclear_width', timestamps.length);
  return { answer, width, rejected };
}

/** From how many rows on an answer may tell a width below the minute that the platform is known for. */
const MANY_ROWS = 20;

/**
 * The bucket width of an answer to a window of an hour or less, in ms; undefined where it is in doubt. The platform
 * is known to give minutes for such windows. Rows that lie further apart are wider buckets, or what is left of an
 * answer that lost every second row: to take those for wide buckets would lose the others unseen.
 */
export function answerWidth(decoded: Decoded, { known, seen, doubt }: KnownWidth): number | undefined {
  const { width: apart } = decoded;
  const rows = Math.max(0, ...[...decoded.series.values()].map(({ timestamps }) => timestamps.length));
  if (apart === undefined) return rows === 0 || (rows === 1 && isAlone(known)) ? known : undefined;
  if (apart === known) return known;
  if (apart < MINUTE_MS && rows < MANY_ROWS) return undefined;
  const expected = known ?? MINUTE_MS;
  if (apart <= expected) return expected % apart === 0 || known === undefined ? apart : undefined;
  if (apart % expected !== 0) return undefined;
  return widerWidth(decoded, apart, expected, { known, seen, doubt });
}

/** Whether an answer to an hour or less may well have a single bucket; one of minutes has lost the others. */
function isAlone(known: number | undefined): boolean {
  return known !== undefined && known >= FINEST_WINDOW_MS / 2;
}

function widerWidth(
  decoded: Decoded,
  apart: number,
  expected: number,
  { known, seen, doubt }: KnownWidth,
): number | undefined {
  // Rows beside the grid of the others show that some buckets are narrower.
  if (decoded.rejected.has('misaligned')) return undefined;
  const reason = seen?.width === expected ? widerOrHoled(decoded, apart, seen) : undefined;
  if (reason !== undefined) return reason === 'wider' ? apart : expected;
  return doubt === undefined ? undefined : widthByDoubt(doubt, decoded, { known, expected });
}

/** A bucket may be as large as the next ones are together by chance; so many are not. */
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

/** What each row tells whose time was seen before. */
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

/** Widths that platforms have beside the minute (ms). */
const USUAL_WIDTHS = [5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** A bucket seen young may have grown so much; one that holds the sum of several has grown more. */
const MOST_GROWTH = 1.5;

/** Rows dropped for these reasons may have been any bucket's. */
const UNPLACED: readonly RejectionReason[] = ['not_a_pair', 'bad_timestamp', 'seconds', 'misaligned'];

/**
 * An answer without the rows that may be wider buckets than its others: rows with nothing after them until where a
 * wider bucket would end. What was seen of their time before tells whether they are, or whether the rows after them
 * are missing; where nothing was seen they are dropped, and counted as `unclear_width`: to take a wider bucket for a
 * minute would count the others in its time twice. Rows without a usable value tell where buckets begin all the same.
 */
export function withoutWideRows(decoded: Decoded, seen: SeenBuckets | undefined): Decoded {
  const { width, valueless } = decoded;
  if (width === undefined) return decoded;
  const isUnplaced = UNPLACED.some((reason) => decoded.rejected.has(reason));
  const series = new Map<string, Points>();
  let dropped = 0;
  for (const [name, points] of decoded.series) {
    const starts = together(points.timestamps, valueless?.get(name));
    const earlier = seen?.width === width ? (seen.series.get(name) ?? NO_POINTS) : NO_POINTS;
    const wide = wideRows(points, starts, earlier, { width, isUnplaced });
    dropped += wide.size;
    series.set(name, wide.size === 0 ? points : without(points, wide));
  }
  if (dropped === 0) return decoded;
  const rejected = new Map(decoded.rejected);
  reject(rejected, 'unclear_width', dropped);
  return { ...decoded, series, rejected };
}

function together(timestamps: Float64Array, others: Float64Array = new Float64Array()): Float64Array {
  return others.length === 0 ? timestamps : Float64Array.of(...timestamps, ...others).sort();
}

const NONE: ReadonlySet<number> = new Set();

/** The width of an answer's buckets, and whether there may be more of them than it has rows with a time. */
interface Grid {
  readonly width: number;
  readonly isUnplaced: boolean;
}

/**
 * Which rows may be wider buckets, by their index.
 * @param starts where the buckets of the answer begin, those without a usable value included
 * @param earlier what was seen of the series before
 */
function wideRows(
  { timestamps, values }: Points,
  starts: Float64Array,
  earlier: Points,
  grid: Grid,
): ReadonlySet<number> {
  const { width } = grid;
  const last = starts.length - 1;
  const at = (place: number) => Number(starts[place]);
  if (last < 1 || at(last) - at(0) === last * width) return NONE;
  const wide = new Set<number>();
  let length = 0;
  let index = 0;
  for (let place = 0; place <= last; place += 1) {
    const apart = place < last ? at(place + 1) - at(place) : length;
    if (place < last) length = apart > width ? apart : 0;
    if (at(place) !== timestamps[index]) continue;
    const again = at(place) - at(place - 1) === apart || at(place + 2) - at(place + 1) === apart;
    const value = Number(values[index]);
    const isLikely = (wider: number) =>
      at(place) % wider === 0 && isWide(value, partsOf(earlier, at(place), wider, width));
    if (widthsWithin(apart, again, grid).some(isLikely)) wide.add(index);
    index += 1;
  }
  return wide;
}

/**
 * Which widths beyond that of the answer a bucket may have of which the next is known to begin so much later.
 * @param again whether the buckets beside it lie as far apart
 */
function widthsWithin(apart: number, again: boolean, { width, isUnplaced }: Grid): readonly number[] {
  if (apart <= width) return [];
  const usual = USUAL_WIDTHS.filter(
    (usual) => usual > width && (isUnplaced ? usual <= apart : usual === apart),
  );
  return again && !usual.includes(apart) ? [...usual, apart] : usual;
}

/** Whether a value is that of the whole of a time, rather than of its first bucket, by what was seen of it before. */
function isWide(value: number, seen: ReturnType<typeof partsOf>): boolean {
  if (seen === undefined) return true;
  const { first, rest } = seen;
  if (rest === undefined) return value > MOST_GROWTH * first;
  return rest > 0 && Math.abs(value - first - rest) < Math.abs(value - first);
}

function without({ timestamps, values }: Points, dropped: ReadonlySet<number>): Points {
  const isKept = (_: number, index: number) => !dropped.has(index);
  return { timestamps: timestamps.filter(isKept), values: values.filter(isKept) };
}
