import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from './window.ts';

/** Completeness is learned for each minute of age, up to this one. */
export const OLDEST_MINUTE = 20;

/** From this age (minutes) on a bucket is final, unless measurements show that it still grows. */
export const FINAL_MINUTE = 10;

/** Measurements of an age before they are trusted. */
const ENOUGH = 60;

/** After this many measurements, old ones count half: the platform's behaviour may change. */
const MOST_MEASUREMENTS = 5_000;

/**
 * Growth of the buckets of one metric with age, over all targets. Each entry is for a minute of age: sums of the values
 * at that age and in the next answer, the sum of their ages in that answer, and the number of buckets.
 */
export interface Completeness {
  readonly shown: readonly number[];
  readonly later: readonly number[];
  readonly laterMinutes: readonly number[];
  readonly buckets: readonly number[];
}

const ZEROS: readonly number[] = Array<number>(OLDEST_MINUTE + 1).fill(0);

export const NO_COMPLETENESS: Completeness = {
  shown: ZEROS,
  later: ZEROS,
  laterMinutes: ZEROS,
  buckets: ZEROS,
};

/** Value of a bucket in two answers, summed over its dimensions, and its age (whole minutes) in each. */
export interface Growth {
  readonly minute: number;
  readonly shown: number;
  readonly laterMinute: number;
  readonly later: number;
}

/** Returns the completeness with measurements added. Nothing is learned from a bucket without traffic. */
export function withGrown(known: Completeness, grown: readonly Growth[]): Completeness {
  if (grown.length === 0) return known;
  const shown = [...known.shown];
  const later = [...known.later];
  const laterMinutes = [...known.laterMinutes];
  const buckets = [...known.buckets];
  for (const one of grown) {
    const { minute } = one;
    if (one.later <= 0 || minute > OLDEST_MINUTE) continue;
    const weight = Number(buckets[minute]) >= MOST_MEASUREMENTS ? 0.5 : 1;
    const add = (sums: number[], value: number) => {
      sums[minute] = Number(sums[minute]) * weight + value;
    };
    // A bucket restated downwards was complete before.
    add(shown, Math.min(one.shown, one.later));
    add(later, one.later);
    add(laterMinutes, one.laterMinute);
    add(buckets, 1);
  }
  return { shown, later, laterMinutes, buckets };
}

/** Share (0 to 1) of its final value that a bucket holds at an age of so many minutes; undefined before enough was seen. */
export function completeAt(known: Completeness, minute: number): number | undefined {
  let share = 1;
  for (let age = minute; age <= OLDEST_MINUTE; ) {
    const buckets = Number(known.buckets[age]);
    if (buckets < ENOUGH) return age >= FINAL_MINUTE && age > minute ? share : undefined;
    share *= Number(known.shown[age]) / Number(known.later[age]);
    age = Math.max(age + 1, Math.round(Number(known.laterMinutes[age]) / buckets));
  }
  return share;
}

/** Completeness by minute of age, as far as enough was seen. */
export function* completeByMinute(known: Completeness): Generator<[minute: number, share: number]> {
  for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
    const share = completeAt(known, minute);
    if (share !== undefined) yield [minute, share];
  }
}

/** Least age (ms) at which buckets hold at least `share` of their final value; undefined while none is known to. */
export function leastAgeWith(completeness: Completeness, share: number): number | undefined {
  for (const [minute, complete] of completeByMinute(completeness))
    if (complete >= share) return minute * MINUTE_MS;
  return undefined;
}

/** Buckets of one target as two answers in a row showed them, by dimension, and how far the platform had come in each (ms). */
export interface TwoAnswers {
  readonly before: ReadonlyMap<string, Points>;
  readonly after: ReadonlyMap<string, Points>;
  readonly width: number;
  /** Start of the window of the first. */
  readonly from: number;
  readonly reachedBefore: number;
  readonly reachedAfter: number;
}

/** Returns how the buckets have grown that all dimensions of both answers hold. */
export function growthBetween({
  before,
  after,
  width,
  from,
  reachedBefore,
  reachedAfter,
}: TwoAnswers): Growth[] {
  const [one, other] = [sumsByBucket(before, after), sumsByBucket(after, before)];
  const grown: Growth[] = [];
  for (const [start, { sum: later, dimensions }] of other) {
    const known = start < from ? undefined : one.get(start);
    const [minute = -1, laterMinute = -1] = [reachedBefore, reachedAfter].map((reached) =>
      Math.floor((reached - start - width) / MINUTE_MS),
    );
    if (known?.dimensions !== dimensions || minute < 0 || laterMinute <= minute) continue;
    grown.push({ minute, shown: known.sum, laterMinute, later });
  }
  return grown;
}

/** Sum of each bucket over the dimensions that the other answer has too, and how many of them have it. */
function sumsByBucket(series: ReadonlyMap<string, Points>, other: ReadonlyMap<string, Points>) {
  const sums = new Map<number, { sum: number; dimensions: number }>();
  for (const [name, { timestamps, values }] of series) {
    if (!other.has(name)) continue;
    for (let index = 0; index < timestamps.length; index += 1) {
      const start = Number(timestamps[index]);
      const known = sums.get(start) ?? { sum: 0, dimensions: 0 };
      if (known.dimensions === 0) sums.set(start, known);
      known.sum += Number(values[index]);
      known.dimensions += 1;
    }
  }
  return sums;
}
