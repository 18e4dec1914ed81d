/**
 * Cleaned points of one series. Timestamps (start of each bucket, ms since the epoch) are ascending and unique; values are finite
 * and not negative. Two flat arrays, because a large account has millions of points.
 */
export interface Points {
  readonly timestamps: Float64Array;
  /** Values in the order of `timestamps`. A `Uint32Array` halves the memory of whole numbers below 2^32, which most values are. */
  readonly values: Float64Array | Uint32Array;
}

const NOTHING: Float64Array = new Float64Array();

export const NO_POINTS: Points = { timestamps: NOTHING, values: NOTHING };

/**
 * Reasons for dropped rows of a response: `not_a_series` is a dimension without rows, `bad_item` an unusable setting, `over_limit`
 * a dimension or configuration beyond the limit.
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

/** Number of dropped rows of a response, per reason. */
export type Rejections = Map<RejectionReason, number>;

/** Adds a number of dropped rows to the count of a reason. */
export function reject(rejections: Rejections, reason: RejectionReason, rows: number): void {
  if (rows > 0) rejections.set(reason, (rejections.get(reason) ?? 0) + rows);
}

/** Returns the sum of all values whose buckets start within [from, to); undefined if there is no point at all. */
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

/** Boundary between milliseconds (larger numbers, after 1973) and seconds (smaller numbers, before 5138). */
const LEAST_MS = 1e11;

/** Smallest number that is accepted as a time in seconds. */
const LEAST_SECONDS = 1e8;

/** Maximum lead (ms) of a bucket's start over the platform's time. */
const AHEAD_MS = 60_000;

/**
 * Returns the buckets in the rows of one series, with ascending, unique timestamps. A bucket without a usable value has NaN,
 * because it still shows where the grid of buckets lies. Adds dropped rows and values to `rejections`, with all rows of a bucket
 * that has different values.
 * @param most largest valid value of the series
 */
export function bucketsOf(
  rows: readonly unknown[],
  now: number,
  rejections: Rejections,
  most = MOST,
): Points {
  const latest = now + AHEAD_MS;
  // Allocated only for usable rows: a response of any size may hold nothing but bad rows.
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

/** Maximum offset (ms) of a timestamp from the whole minute at which its bucket starts. */
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
 * Largest valid value: above it, numbers are not exact. No bucket of any platform holds as much, and adding such a value would
 * corrupt a counter for good.
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

/** Rows that have the same bucket. */
interface SameBucket {
  value: number;
  /** Number of rows with a usable value. */
  rows: number;
  isAmbiguous: boolean;
}

/** Returns points in ascending order, one per bucket. Drops buckets with different values, until a later response decides. */
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
