import type { Points } from '../decode/points.ts';
import type { Restatements } from '../poll/job.ts';
import type { MetricEvidence } from '../settling/learned.ts';
import type { Window } from '../settling/window.ts';

/**
 * Compares the buckets of an answer with those of the previous one.
 * @param width bucket width (ms) of both; undefined for no comparison
 * @param isCounted returns true for a span that is counted, so that its changes come too late
 */
export function restatements(
  before: Points,
  after: Points,
  width: number | undefined,
  now: number,
  isCounted: (time: Window) => boolean,
): Restatements {
  const ages: number[] = [];
  let [downwards, late, lateAmount] = [0, 0, 0];
  const { timestamps, values } = after;
  const known = before.values;
  for (let index = 0, next = 0; index < timestamps.length && width !== undefined; index += 1) {
    const start = Number(timestamps[index]);
    while (Number(before.timestamps[next]) < start) next += 1;
    if (before.timestamps[next] !== start) continue;
    const age = now - start - width;
    const [value, was] = [Number(values[index]), Number(known[next])];
    if (isSame(value, was)) continue;
    ages.push(age);
    if (value < was) downwards += 1;
    if (!isCounted({ from: start, to: start + width })) continue;
    late += 1;
    lateAmount += Math.abs(value - was);
  }
  return { ages, downwards, late, lateAmount };
}

/** Returns true if two values differ at most by rounding. */
function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(one, other);
}

/** Two consecutive answers (platform ms). */
interface Compared {
  /** Start of the window of the first answer, and of its newest bucket. */
  readonly from: number;
  readonly newest: number;
  /** Time of the second answer, and start of its newest bucket. */
  readonly now: number;
  readonly newestNow: number;
}

/**
 * Returns the evidence about late changes. `unsettledAge` is the greatest age at which a bucket was not final yet. It is the age
 * in the first answer, minus the platform's lag at that time.
 * @param compared undefined if an answer lacked rows, since buckets may then have been present before the first
 */
export function lateness(
  restated: readonly Restatements[],
  compared: Compared | undefined,
): Pick<MetricEvidence, 'changes' | 'downwards' | 'unsettledAge'> {
  const { from = Number.POSITIVE_INFINITY, newest = 0, now = 0, newestNow = 0 } = compared ?? {};
  let [changes, downwards, oldest] = [0, 0, 0];
  for (const one of restated) {
    changes += one.ages.length;
    downwards += one.downwards;
    for (const age of one.ages) if (age < now - from) oldest = Math.max(oldest, age);
  }
  const unsettledAge = oldest === 0 ? 0 : oldest - (now - Math.min(newest, newestNow, now));
  return { changes, downwards, unsettledAge };
}
