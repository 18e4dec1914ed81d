import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Rejections, reject } from '../decode/points.ts';
import { USUAL_SETTLE_MS } from '../settling/delays.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { isSame, partsOf, type SeenBuckets } from './seen-buckets.ts';
import type { WindowedAnswer } from './series-reader.ts';
import { withoutWideRows } from './wide-rows.ts';
import { type WidthDoubt, widthByDoubt } from './width-doubt.ts';

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
  const rows = mostRows(decoded);
  if (apart === undefined) return rows === 0 || (rows === 1 && isAlone(known)) ? known : undefined;
  if (apart === known) return known;
  if (apart < MINUTE_MS && rows < MANY_ROWS) return undefined;
  const expected = known ?? MINUTE_MS;
  if (apart <= expected) return expected % apart === 0 || known === undefined ? apart : undefined;
  if (apart % expected !== 0) return undefined;
  return widerWidth(decoded, apart, expected, { known, seen, doubt });
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
