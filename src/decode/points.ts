/**
 * The points of one series as an answer gave them, cleaned: timestamps (ms since the epoch, the start of each
 * bucket) ascending and unique, values finite and not negative. Two flat arrays, since a large account has millions.
 */
export interface Points {
  readonly timestamps: Float64Array;
  readonly values: Float64Array;
}

export const NO_POINTS: Points = { timestamps: new Float64Array(), values: new Float64Array() };

/** Why a row of an answer was dropped; `not_a_series` is a whole dimension that holds no rows, `unclear_width` a row of
 * an answer that does not tell how wide its buckets are, `bad_item` a setting that is none or could not be read,
 * `over_limit` a dimension or a configuration more than is taken. */
export const REJECTION_REASONS = [
  'not_a_pair',
  'bad_timestamp',
  'bad_value',
  'negative',
  'seconds',
  'future',
  'duplicate',
  'misaligned',
  'not_a_series',
  'unclear_width',
  'bad_item',
  'over_limit',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** How many rows of an answer were dropped, by reason. */
export type Rejections = Map<RejectionReason, number>;

/** Adds to the rows dropped for a reason. */
export function reject(rejections: Rejections, reason: RejectionReason, rows: number): void {
  if (rows > 0) rejections.set(reason, (rejections.get(reason) ?? 0) + rows);
}

/** The sum of all values whose buckets start within [from, to), or undefined when there is no point at all. */
export function sumWithin(
  series: readonly Points[],
  { from, to }: { from: number; to: number },
): number | undefined {
  let sum: number | undefined;
  for (const { timestamps, values } of series) {
    for (const [index, timestamp] of timestamps.entries()) {
      if (timestamp >= from && timestamp < to) sum = (sum ?? 0) + (values[index] ?? 0);
    }
  }
  return sum;
}
