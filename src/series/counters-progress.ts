import type { Counter } from './counter.ts';
import type { CountersRecord } from './stored-counters.ts';

/** How far the counters of a record have come, all together. Times are in ms since the epoch; undefined where there are none. */
export interface Progress {
  readonly of: CountersRecord | undefined;
  /** The oldest watermark. */
  readonly watermark: number | undefined;
  /** Up to where every bucket is counted or skipped. */
  readonly countedUntil: number | undefined;
  /** Where what they lack begins, each time once: thousands of jobs keep it, and most counters have come equally far. */
  readonly lacking: readonly number[];
}

/** @param counters those of the record that count */
export function progressOf(of: CountersRecord | undefined, counters: Iterable<Counter>): Progress {
  let watermark: number | undefined;
  let countedUntil: number | undefined;
  const lacking = new Set<number>();
  for (const counter of counters) {
    watermark = Math.min(watermark ?? counter.watermark, counter.watermark);
    const until = counter.missing[0]?.from ?? counter.watermark;
    countedUntil = Math.min(countedUntil ?? until, until);
    lacking.add(counter.watermark);
    for (const { from } of counter.missing) lacking.add(from);
  }
  return { of, watermark, countedUntil, lacking: [...lacking] };
}

/** A counter that joins others, with their watermark: it lacks what they have never read. */
export function newCounter([first]: Iterable<Counter>, watermark: number): Counter {
  const missing = (first?.missing ?? []).filter(({ asked, to }) => asked === 0 && to <= watermark);
  return { total: 0, watermark, missing };
}
