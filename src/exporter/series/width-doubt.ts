import type { Decoded } from '../decode/decode.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { someStart } from './answer-buckets.ts';

/** Answers in a row whose rows lie further apart than they should, for a reason that is not known yet. */
export interface WidthDoubt {
  /** How far apart (ms), and where: rows of all of them lie at multiples of `apart` after `phase`. */
  readonly apart: number;
  readonly phase: number;
  readonly answers: number;
  /** When the first and the latest of them came (platform ms). */
  readonly since: number;
  readonly until: number;
}

/** So many doubtful answers that agree are believed; where another width was known, over so long a time (ms). */
const AGREEING_ANSWERS = 5;
const AGREEING_MS = 30 * MINUTE_MS;

/** The doubt after one more doubtful answer. */
export function doubtAgain(
  doubt: WidthDoubt | undefined,
  decoded: Decoded,
  now: number,
): WidthDoubt | undefined {
  const { width: apart } = decoded;
  const start = someStart(decoded);
  if (apart === undefined || start === undefined) return doubt;
  if (doubt?.apart !== apart || commonSpacing(decoded, doubt) !== apart)
    return { apart, phase: start % apart, answers: 1, since: now, until: now };
  return { ...doubt, answers: doubt.answers + 1, since: Math.min(doubt.since, now), until: now };
}

/**
 * What an answer and those in doubt show together: rows of one that lie between those of another show that each has lost
 * some; where all agree for long enough their buckets are as wide. Undefined where the doubt remains.
 */
export function widthByDoubt(
  doubt: WidthDoubt,
  decoded: Decoded,
  { known, expected }: { readonly known: number | undefined; readonly expected: number },
): number | undefined {
  const { apart, answers, since, until } = doubt;
  // Of answers that differ in how far their rows lie apart each may have wide buckets of its own.
  if (apart !== decoded.width) return undefined;
  const common = commonSpacing(decoded, doubt);
  if (common !== undefined && common <= expected) return expected;
  const isBelieved = answers >= AGREEING_ANSWERS && (known === undefined || until - since >= AGREEING_MS);
  return common === apart && isBelieved ? apart : undefined;
}

/** How far apart the rows of an answer and of those in doubt lie taken together. */
function commonSpacing(decoded: Decoded, { apart, phase }: WidthDoubt): number | undefined {
  const start = someStart(decoded);
  if (decoded.width === undefined || start === undefined) return undefined;
  return commonDivisor(commonDivisor(decoded.width, apart), Math.abs(start - phase));
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
