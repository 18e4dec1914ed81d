import { NO_POINTS, type Points } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { newestStart } from './answer-buckets.ts';
import { type Counter, firstAtOrAfter } from './counter.ts';
import { type Absence, absentAgain, isExhausted, isOvertaken } from './patience.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** For how long a coarse read proves that the platform has gone on: it may take back what it showed. */
const PROOF_MS = 15 * MINUTE_MS;

/** What a series has no rows for, from its watermark or shortly after it up to its next rows. */
interface Gap extends Window {
  readonly absence: Absence;
}

/**
 * Where series have no rows for longer than a window is: then a window within tells nothing, neither that the platform
 * has gone on nor that it ever will. A coarse read, from the watermark to the present in wide buckets, shows what lies beyond.
 * It is waited for the whole gap at once, instead of for each window anew; but each window is asked for all the same
 * before the counter goes on, since wide buckets may be missing where fine ones are not.
 */
export class Gaps {
  readonly #gaps = new Map<string, Gap>();
  /** The newest bucket of the latest coarse. */
  #seen = { at: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY };

  /** Takes in a coarse read. One without any row proves nothing: it may as well be a failure of the platform. */
  note(coarse: WindowedAnswer, counters: ReadonlyMap<string, Counter>): void {
    const { decoded, now } = coarse;
    const newest = newestStart(decoded);
    if (newest === Number.NEGATIVE_INFINITY) return;
    this.#seen = { at: now, newest };
    const sound = decoded.rejected.size === 0;
    for (const [name, { watermark }] of counters) {
      const blank = blankAfter(watermark, coarse, decoded.series.get(name) ?? NO_POINTS);
      const known = this.#gaps.get(name);
      const still = known === undefined ? blank : common(known, blank);
      // What was there once, or was not asked for before, is waited for from now on.
      const absence = still.from < still.to ? known?.absence : undefined;
      const gap = absence === undefined ? blank : still;
      if (gap.from < gap.to) this.#gaps.set(name, { ...gap, absence: absentAgain(absence, sound, now) });
      else this.#gaps.delete(name);
    }
  }

  /** Up to where a coarse read has lately shown that the platform has gone on; -Infinity where none has. */
  shownUntil(now: number): number {
    const { at, newest } = this.#seen;
    return now >= at && now < at + PROOF_MS ? newest : Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether a bucket lies in a gap that was waited for.
   * @param newest the start of the platform's newest bucket
   */
  exhausted(name: string, bucket: Window, now: number, newest: number): boolean {
    const gap = this.#gaps.get(name);
    if (gap === undefined || bucket.from < gap.from || bucket.to > gap.to) return false;
    return isOvertaken(bucket.from, newest) && isExhausted(gap.absence, now);
  }
}

/** What a coarse read shows a series to lack from its watermark on, or from the end of the bucket that the watermark lies in. */
function blankAfter(watermark: number, { decoded }: WindowedAnswer, { timestamps }: Points): Window {
  const before = timestamps[firstAtOrAfter(timestamps, watermark + 1) - 1];
  const end = before === undefined ? watermark : before + (decoded.width ?? Number.POSITIVE_INFINITY);
  const from = Math.max(watermark, end);
  return { from, to: timestamps[firstAtOrAfter(timestamps, from)] ?? newestStart(decoded) };
}

function common(a: Window, b: Window): Window {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
}
