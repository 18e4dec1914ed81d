import { fraction } from '../hash.ts';
import { FINEST } from './buckets.ts';

/** How young buckets fill up; all times in ms. */
export interface Settling {
  /** The moment for which the platform answers. */
  readonly now: number;
  /** After this long every bucket is final. */
  readonly settleMs: number;
  readonly key: number;
}

/** Age as a share of the settling time, and how much of the bucket has come in by then. */
const ARRIVAL = [
  { age: 0, complete: 0 },
  { age: 0.1, complete: 0.55 },
  { age: 0.2, complete: 0.93 },
  { age: 1, complete: 1 },
] as const;

/** The first minute that may still grow: everything before it is final. */
export function horizon({ now, settleMs }: Settling): number {
  return Math.floor((now - Math.max(settleMs, FINEST)) / FINEST) * FINEST;
}

/** The share, 0 to 1, of the minute starting at `minute` that an answer shows. Never falls as time goes on. */
export function completeness(minute: number, { now, settleMs, key }: Settling): number {
  const age = now - minute;
  if (age <= 0) return 0;
  const elapsed = Math.min(1, age / FINEST);
  const settling = settleMs * (0.6 + 0.4 * fraction(key, minute / FINEST));
  return settling > 0 ? Math.min(elapsed, arrived(age / settling)) : elapsed;
}

function arrived(age: number): number {
  let from: { age: number; complete: number } = ARRIVAL[0];
  for (const to of ARRIVAL) {
    if (age < to.age) {
      return from.complete + ((to.complete - from.complete) * (age - from.age)) / (to.age - from.age);
    }
    from = to;
  }
  return 1;
}
