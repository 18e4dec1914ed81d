import { MINUTE_MS, reachesPresent, type Window } from '../settling/window.ts';
import { newestStart } from './answer-buckets.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** How far an answer about the past must reach beyond a bucket to be counted; windows are at least twice as long. */
const PROOF_MS = 10 * MINUTE_MS;

/** How far the platform has come with the data of one series, as its answers tell. */
export class Progress {
  /** Start of the newest bucket of the latest answer that reached the present. */
  #newest = Number.NEGATIVE_INFINITY;

  /** The start of the platform's newest bucket, where an answer tells, and else as told last. */
  newestAsOf({ decoded, window, now }: WindowedAnswer): number {
    const newest = newestStart(decoded);
    const tells = newest > Number.NEGATIVE_INFINITY && reachesPresent(window, now);
    // A bucket of the future was told before the platform's clock was set back.
    return tells || newest > this.#newest || this.#newest > now ? newest : this.#newest;
  }

  /**
   * Up to when buckets of an answer do not change any more: a platform whose data are late settles its buckets late,
   * too. Its newest bucket tells, which may have just begun.
   * @param shown up to where another answer has lately shown that the platform has gone on
   */
  settledUntil(answer: WindowedAnswer, settleDelay: number, shown: number): number {
    const vouched = Math.max(vouchedFor(answer, settleDelay), shown);
    return Math.min(answer.now, this.newestAsOf(answer), vouched) - settleDelay;
  }

  /** Takes in an answer. */
  note(answer: WindowedAnswer): void {
    this.#newest = this.newestAsOf(answer);
  }

  /** Whether an answer, once it is taken in, is the one that tells the newest bucket. */
  isNewest({ decoded }: WindowedAnswer): boolean {
    return newestStart(decoded) === this.#newest;
  }
}

/**
 * Up to where an answer about the past proves by itself that the platform has gone on, since a platform may have
 * taken back what it showed before: then its newest bucket as told last is none.
 */
function vouchedFor({ decoded, window, now }: WindowedAnswer, settleDelay: number): number {
  if (isShort(window) || reachesPresent(window, now)) return Number.POSITIVE_INFINITY;
  return newestStart(decoded) + Math.max(0, settleDelay - PROOF_MS);
}

/** A window that asks for a single bucket cannot reach beyond it. */
function isShort({ from, to }: Window): boolean {
  return to - from < 2 * PROOF_MS;
}
