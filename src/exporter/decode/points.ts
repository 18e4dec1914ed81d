/**
 * The points of one series as an answer gave them, cleaned: timestamps (ms since the epoch, the start of each
 * bucket) ascending and unique, values finite and not negative. Two flat arrays, since a large account has millions.
 */
export interface Points {
  readonly timestamps: Float64Array;
  /** Whole numbers below 2^32, as most are, take half as many bytes. */
  readonly values: Float64Array | Uint32Array;
}

const NOTHING: Float64Array = new Float64Array();

export const NO_POINTS: Points = { timestamps: NOTHING, values: NOTHING };

/**
 * Reasons for dropped rows of an answer: `not_a_series` is a dimension without rows, `bad_item` an unusable setting,
 * `over_limit` a dimension or configuration beyond the limit.
 */
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
  'bad_item',
  'over_limit',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Dropped rows of an answer, by reason. */
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

/** Timestamps in milliseconds lie above this (since 1973), timestamps in seconds below it (until the year 5138). */
const LEAST_MS = 1e11;

/** Smaller numbers are no time in seconds. */
const LEAST_SECONDS = 1e8;

/** A bucket may start this much (ms) ahead of the platform's time. */
const AHEAD_MS = 60_000;

/**
 * The buckets that the rows of one series name: timestamps ascending and unique. Where a bucket's value is not usable
 * it is NaN: such a bucket has no value, but shows where the grid of buckets lies. `rejections` counts what was
 * dropped, values included, and all rows of a bucket with different values.
 * @param most above this no value of the series can be true
 */
export function bucketsOf(
  rows: readonly unknown[],
  now: number,
  rejections: Rejections,
  most = MOST,
): Points {
  const latest = now + AHEAD_MS;
  // Made only when there is something to keep: an answer of any size may hold nothing but bad rows.
  let [timestamps, values] = [NOTHING, NOTHING];
  let size = 0;
  let ascending = true;
  for (const row of rows) {
    const fault = rowFault(row, latest);
    if (fault !== undefined) {
      reject(rejections, fault, 1);
      continue;
    }
    const pair = row as readonly [timestamp: number, value: unknown];
    const [, value] = pair;
    const isUsable = typeof value === 'number' && value >= 0 && value <= most;
    if (!isUsable) reject(rejections, valueFault(value) ?? 'bad_value', 1);
    if (size === 0) {
      timestamps = new Float64Array(rows.length);
      values = new Float64Array(rows.length);
    } else if (startOf(pair[0]) <= Number(timestamps[size - 1])) ascending = false;
    timestamps[size] = startOf(pair[0]);
    values[size] = isUsable ? value : Number.NaN;
    size += 1;
  }
  const buckets = { timestamps: fitted(timestamps, size), values: fitted(values, size) };
  return ascending ? buckets : sorted(buckets, rejections);
}

/** A bucket that begins with a minute may be written this far (ms) off it. */
const OFF_MS = 500;

function startOf(timestamp: number): number {
  const past = timestamp % 60_000;
  if (past <= OFF_MS) return timestamp - past;
  return past >= 60_000 - OFF_MS ? timestamp + 60_000 - past : timestamp;
}

function rowFault(row: unknown, latest: number): RejectionReason | undefined {
  if (!Array.isArray(row) || row.length !== 2) return 'not_a_pair';
  const timestamp: unknown = row[0];
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return 'bad_timestamp';
  if (timestamp > latest) return 'future';
  if (timestamp > LEAST_MS) return undefined;
  return timestamp > LEAST_SECONDS ? 'seconds' : 'bad_timestamp';
}

/**
 * Above this no number is exact. No minute of any platform holds as much: such a value is a fault of the platform, and
 * a counter that took it in would be wrong for good.
 */
const MOST = Number.MAX_SAFE_INTEGER;

/** Returns the reason why a value is not usable; undefined if it is usable. */
export function valueFault(value: unknown): RejectionReason | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value > MOST) return 'bad_value';
  return value < 0 ? 'negative' : undefined;
}

function fitted(array: Float64Array, size: number): Float64Array {
  return size === array.length ? array : array.subarray(0, size);
}

/** Rows of one bucket. */
interface SameBucket {
  value: number;
  /** Rows with a usable value. */
  rows: number;
  isAmbiguous: boolean;
}

/**
 * Returns points in order, each bucket once. Of different values for one bucket none is taken: the next answer shows
 * which is right.
 */
function sorted({ timestamps, values }: Points, rejections: Rejections): Points {
  const buckets = new Map<number, SameBucket>();
  for (let index = 0; index < timestamps.length; index += 1) {
    const value = Number(values[index]);
    const start = Number(timestamps[index]);
    const known = buckets.get(start) ?? { value: Number.NaN, rows: 0, isAmbiguous: false };
    buckets.set(start, known);
    if (Number.isNaN(value)) continue;
    known.isAmbiguous ||= known.rows > 0 && known.value !== value;
    known.value = value;
    known.rows += 1;
  }
  for (const one of buckets.values()) if (one.isAmbiguous) reject(rejections, 'duplicate', one.rows);
  const starts = Float64Array.from(buckets.keys()).sort();
  const valueAt = (start: number) => {
    const { value, isAmbiguous } = buckets.get(start) as SameBucket;
    return isAmbiguous ? Number.NaN : value;
  };
  return { timestamps: starts, values: starts.map(valueAt) };
}
