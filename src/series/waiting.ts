import type { Window } from '../settling/window.ts';
import { Absences } from './absences.ts';
import type { Counter } from './counter.ts';
import { Gaps } from './gaps.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** The moment for which it is asked whether a bucket was waited for long enough. */
export interface Moment {
  readonly now: number;
  /** The start of the platform's newest bucket. */
  readonly newest: number;
}

/** Which buckets the counters of a series wait for, and since when. */
export class Waiting {
  readonly #absences = new Map<string, Absences>();
  readonly #gaps = new Gaps();

  /** Takes in which settled buckets an answer lacked, by dimension. */
  note(
    { decoded, window, now }: WindowedAnswer,
    counters: ReadonlyMap<string, Counter>,
    absent: ReadonlyMap<string, readonly number[]>,
  ): void {
    const sound = decoded.rejected.size === 0;
    for (const [name, { watermark }] of counters) {
      const buckets = absent.get(name) ?? [];
      // A window beyond the watermark says nothing of what the counter waits for.
      if (watermark >= window.from) this.#of(name).note({ window, buckets, watermark, sound }, now);
    }
  }

  /** Takes in a coarse read. */
  noteCoarse(coarse: WindowedAnswer, counters: ReadonlyMap<string, Counter>): void {
    this.#gaps.note(coarse, counters);
  }

  /** Up to where a coarse read has lately shown that the platform has gone on; -Infinity where none has. */
  shownUntil(now: number): number {
    return this.#gaps.shownUntil(now);
  }

  /** Whether a bucket of a dimension was waited for long enough. */
  exhausted(name: string, bucket: Window, { now, newest }: Moment): boolean {
    const absent = this.#absences.get(name)?.exhausted(bucket.from, now, newest);
    return absent || this.#gaps.exhausted(name, bucket, now, newest);
  }

  #of(name: string): Absences {
    const known = this.#absences.get(name) ?? new Absences();
    this.#absences.set(name, known);
    return known;
  }
}
