const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How far back the platform keeps its analytics, in ms. */
export const HISTORY = 30 * DAY;

/** The width of the finest bucket, in ms. */
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

/** Neighbouring buckets of one width: the first starts at `start` (ms since the epoch), each lasts `width` ms. */
export interface Buckets {
  readonly start: number;
  readonly width: number;
  readonly count: number;
}

/** The width of the buckets in which the platform answers for a window of this length, both in ms. */
export function widthFor(length: number): number {
  return WIDTHS.find(({ upTo }) => length <= upTo)?.width ?? WIDEST;
}

/** All buckets of the width that start at or after the one holding `from`, and before `to`. */
export function bucketsOf(from: number, to: number, width: number, offset = 0): Buckets {
  const start = Math.floor((from + offset) / width) * width - offset;
  return { start, width, count: Math.max(0, Math.ceil((to - start) / width)) };
}

/** Some of the buckets of an answer are wider than they should be. */
export interface Widening {
  /** In ms. */
  readonly width: number;
  /** Those before a moment, those from it on, or all. */
  readonly part: 'all' | 'older' | 'newer';
  readonly at: number;
}

/** The buckets with those of a part widened, in the order of time; those that are as wide already stay. */
export function widened(buckets: Buckets, { width, part, at }: Widening, offset: number): readonly Buckets[] {
  if (buckets.width >= width) return [buckets];
  const { start } = buckets;
  const end = start + buckets.count * buckets.width;
  const split = part === 'all' ? end : Math.floor((at + offset) / width) * width - offset;
  const [before, after] = part === 'newer' ? [buckets.width, width] : [width, buckets.width];
  const parts = [
    bucketsOf(start, Math.min(split, end), before, offset),
    bucketsOf(Math.max(split, start), end, after, offset),
  ];
  return parts.filter(({ count }) => count > 0);
}

/** The buckets of an answer: none starts in the future, or further back than the history reaches. */
export function answerBuckets(from: number, to: number, now: number, offset: number): Buckets {
  const width = widthFor(to - from);
  const oldest = Math.ceil((now - HISTORY + offset) / width) * width - offset;
  return bucketsOf(Math.max(from, oldest), Math.min(to, now), width, offset);
}
