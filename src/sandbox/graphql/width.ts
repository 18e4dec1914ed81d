import { type Buckets, FINEST } from '../traffic/buckets.ts';

const HOUR = 60 * FINEST;
const DAY = 24 * HOUR;

/** How far back datasets reach, and those that are not kept in minutes; in ms. */
const RETENTION = { fine: 730 * DAY, coarse: 90 * DAY } as const;

/** A window (ms since the epoch) and how it is answered. */
export interface Answered {
  readonly begin: number;
  readonly end: number;
  /** Whether a bucket that starts at the end is part of it. */
  readonly isClosed: boolean;
  /** Whether the dataset is not kept in minutes. */
  readonly isCoarse: boolean;
}

/** The width of the buckets in which a window of this length is answered, both in ms. */
function widthOf(length: number, isCoarse: boolean): number {
  if (length <= 48 * HOUR && !isCoarse) return FINEST;
  return length <= 60 * DAY ? HOUR : DAY;
}

/** The buckets that start in a window; none starts later than the newest, or earlier than the dataset reaches. */
export function bucketsIn({ begin, end, isClosed, isCoarse }: Answered, newest: number): Buckets {
  const width = widthOf(end - begin, isCoarse);
  const oldest = newest - (isCoarse ? RETENTION.coarse : RETENTION.fine);
  const start = Math.ceil(Math.max(begin, oldest) / width) * width;
  const until = Math.min(isClosed ? end + 1 : end, newest);
  return { start, width, count: Math.max(0, Math.ceil((until - start) / width)) };
}
