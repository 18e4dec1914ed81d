import type { Points } from '../decode/points.ts';
import { MINUTE_MS } from './window.ts';

/** Greatest age (minutes) for which completeness is learned. */
export const OLDEST_MINUTE = 20;

/** Age (minutes) from which a bucket is final, unless measurements show that it still grows. */
export const FINAL_MINUTE = 10;

/** Number of measurements of an age from which they are trusted. */
const ENOUGH = 60;

/** Number of measurements from which older ones lose half their weight, since the platform may change. */
const MOST_MEASUREMENTS = 5_000;

/**
 * Growth of a metric's buckets with age, over all targets. Each entry is for a minute of age. It has the sums of the values at
 * that age and in the next answer. It also has the sum of the ages in that answer, and the number of buckets.
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

/** Returns the completeness with added measurements. Buckets without traffic are ignored. */
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
    // A bucket that was restated downwards counts as complete before.
    add(shown, Math.min(one.shown, one.later));
    add(later, one.later);
    add(laterMinutes, one.laterMinute);
    add(buckets, 1);
  }
  return { shown, later, laterMinutes, buckets };
}

/** Returns the share (0 to 1) of its final value that a bucket has at an age (minutes); undefined without enough measurements. */
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

/** Yields the completeness by minute of age, for ages with enough measurements. */
export function* completeByMinute(known: Completeness): Generator<[minute: number, share: number]> {
  for (let minute = 0; minute <= OLDEST_MINUTE; minute += 1) {
    const share = completeAt(known, minute);
    if (share !== undefined) yield [minute, share];
  }
}

/** Returns the least age (ms) at which buckets have `share` of their final value; undefined while no such age is known. */
export function leastAgeWith(completeness: Completeness, share: number): number | undefined {
  for (const [minute, complete] of completeByMinute(completeness))
    if (complete >= share) return minute * MINUTE_MS;
  return undefined;
}

/** Buckets of one target in two consecutive answers, by dimension, and the end of the platform's data (ms) at each answer. */
export interface TwoAnswers {
  readonly before: ReadonlyMap<string, Points>;
  readonly after: ReadonlyMap<string, Points>;
  readonly width: number;
  /** Start of the window of the first answer (platform ms). */
  readonly from: number;
  readonly reachedBefore: number;
  readonly reachedAfter: number;
}

/** Returns the growth of the buckets that all dimensions of both answers have. */
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

/** Returns the sum of each bucket over the dimensions of both answers, and the number of dimensions that have the bucket. */
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
