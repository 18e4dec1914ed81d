import type { Decoded } from '../decode/decode.ts';
import { FINEST_WINDOW_MS, MINUTE_MS } from '../settling/window.ts';
import { type SeenBuckets, widerOrHoled } from './seen-buckets.ts';

/** What is known of the width of a series' buckets before an answer is looked at. */
export interface KnownWidth {
  /** The width of the answers before (ms); undefined for the first. */
  readonly known: number | undefined;
  readonly seen: SeenBuckets | undefined;
  readonly doubt: WidthDoubt | undefined;
}

/** Answers in a row whose rows lie further apart than they should, and nothing yet tells why. */
export interface WidthDoubt {
  /** How far apart (ms), and where: rows of all of them lie at multiples of `apart` after `phase`. */
  readonly apart: number;
  readonly phase: number;
  readonly answers: number;
  /** When the first and the latest of them came (platform ms). */
  readonly since: number;
  readonly until: number;
}

/** From how many rows on an answer may tell a width below the minute that the platform is known for. */
const MANY_ROWS = 20;

/** So many doubtful answers that agree are believed; where another width was known, over so long a time (ms). */
const AGREEING_ANSWERS = 5;
const AGREEING_MS = 30 * MINUTE_MS;

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
  // Of answers that differ in how far their rows lie apart each may have wide buckets of its own.
  if (doubt?.apart !== apart) return undefined;
  const common = commonSpacing(decoded, doubt);
  if (common !== undefined && common <= expected) return expected;
  return common === apart && isBelieved(doubt, known) ? apart : undefined;
}

/** The doubt after one more doubtful answer. */
export function doubtAgain(
  doubt: WidthDoubt | undefined,
  decoded: Decoded,
  now: number,
): WidthDoubt | undefined {
  const { width: apart } = decoded;
  const start = someStart(decoded);
  if (apart === undefined || start === undefined) return doubt;
  const common = doubt === undefined ? undefined : commonSpacing(decoded, doubt);
  if (doubt === undefined || common !== doubt.apart || common !== apart) {
    return { apart, phase: start % apart, answers: (doubt?.answers ?? 0) + 1, since: now, until: now };
  }
  return { ...doubt, answers: doubt.answers + 1, since: Math.min(doubt.since, now), until: now };
}

/** How far apart the rows of an answer and of those in doubt lie taken together. */
function commonSpacing(decoded: Decoded, { apart, phase }: WidthDoubt): number | undefined {
  const start = someStart(decoded);
  if (decoded.width === undefined || start === undefined) return undefined;
  return commonDivisor(commonDivisor(decoded.width, apart), Math.abs(start - phase));
}

function isBelieved({ answers, since, until }: WidthDoubt, known: number | undefined): boolean {
  return answers >= AGREEING_ANSWERS && (known === undefined || until - since >= AGREEING_MS);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The start of some bucket, which tells where all others of its width begin; undefined where there is none. */
export function someStart({ series }: Decoded): number | undefined {
  for (const { timestamps } of series.values()) if (timestamps[0] !== undefined) return timestamps[0];
  return undefined;
}
