import { fraction } from '../hash.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Retention of analytics (ms). */
export const HISTORY = 30 * DAY;

/** Width of the finest bucket (ms). */
export const FINEST = MINUTE;

const WIDTHS: readonly { readonly upTo: number; readonly width: number }[] = [
  { upTo: HOUR, width: MINUTE },
  { upTo: 6 * HOUR, width: 5 * MINUTE },
  { upTo: 24 * HOUR, width: 30 * MINUTE },
  { upTo: 3 * DAY, width: HOUR },
  { upTo: 7 * DAY, width: 2 * HOUR },
  { upTo: 15 * DAY, width: 6 * HOUR },
];
const WIDEST = 12 * HOUR;

/** Consecutive buckets of one width. The first starts at `start` (ms since the epoch), and each lasts `width` ms. */
export interface Buckets {
  readonly start: number;
  readonly width: number;
  readonly count: number;
}

/** Returns the bucket width (ms) of a response for a window of this length (ms). */
export function widthFor(length: number): number {
  return WIDTHS.find(({ upTo }) => length <= upTo)?.width ?? WIDEST;
}

/** Returns all buckets of the width from the one that contains `from`, up to those that start before `to`. */
export function bucketsOf(from: number, to: number, width: number, offset = 0): Buckets {
  const start = Math.floor((from + offset) / width) * width - offset;
  return { start, width, count: Math.max(0, Math.ceil((to - start) / width)) };
}

/** Fault by which some buckets of a response are wider than they should be. */
export interface Widening {
  /** Width (ms). */
  readonly width: number;
  /** Affected buckets: those before a given time, those from it on, every second range of that width, or all. */
  readonly part: 'all' | 'older' | 'newer' | 'mixed';
  readonly at: number;
}

/** Returns the buckets in the order of time, a part of them widened. */
export function widened(buckets: Buckets, { width, part, at }: Widening, offset: number): readonly Buckets[] {
  if (buckets.width >= width) return [buckets];
  const { start } = buckets;
  const end = start + buckets.count * buckets.width;
  if (part === 'mixed') return stretches(buckets, width, offset);
  const split = part === 'all' ? end : Math.floor((at + offset) / width) * width - offset;
  const [before, after] = part === 'newer' ? [buckets.width, width] : [width, buckets.width];
  const parts = [
    bucketsOf(start, Math.min(split, end), before, offset),
    bucketsOf(Math.max(split, start), end, after, offset),
  ];
  return parts.filter(({ count }) => count > 0);
}

/** Returns ranges of the greater width, alternately one bucket and many. */
function stretches({ start, width, count }: Buckets, wide: number, offset: number): readonly Buckets[] {
  const end = start + count * width;
  const all = bucketsOf(start, end, wide, offset);
  return Array.from({ length: all.count }, (_, index) => {
    const from = all.start + index * wide;
    const isWide = ((from + offset) / wide) % 2 === 0;
    return isWide
      ? { start: from, width: wide, count: 1 }
      : bucketsOf(Math.max(start, from), Math.min(end, from + wide), width, offset);
  });
}

/** Returns the buckets of a response: none starts in the future or before the retention. */
export function answerBuckets(from: number, to: number, now: number, offset: number): Buckets {
  const width = widthFor(to - from);
  const oldest = Math.ceil((now - HISTORY + offset) / width) * width - offset;
  return bucketsOf(Math.max(from, oldest), Math.min(to, now), width, offset);
}

/** Completeness of young buckets as a function of time; all times in ms. */
export interface Settling {
  /** Time of the response (ms since the epoch). */
  readonly now: number;
  /** Age (ms) from which every bucket is final. */
  readonly settleMs: number;
  readonly key: number;
}

/** Completeness of a bucket by its age, as a share of the settling time. */
const ARRIVAL = [
  { age: 0, complete: 0 },
  { age: 0.1, complete: 0.55 },
  { age: 0.2, complete: 0.93 },
  { age: 1, complete: 1 },
] as const;

/** Returns the first minute that may still grow; all earlier ones are final. */
export function horizon({ now, settleMs }: Settling): number {
  return Math.floor((now - Math.max(settleMs, FINEST)) / FINEST) * FINEST;
}

/** Returns the share (0 to 1) of the minute starting at `minute` that a response contains. It never decreases with time. */
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
