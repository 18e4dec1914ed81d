import { facesOf } from '../catalogue/catalogue.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import type { Decoded } from '../decode/decode.ts';
import { type Points, type Rejections, reject, shortLivedArray, valueFault } from '../decode/points.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import type { DatasetRows, KeyRows, Row } from './dataset-rows.ts';
import { type DimensionFields, UNITS } from './fields.ts';

/** How the value of a dimension comes from a row, in the unit that REST has for it. */
export interface Column {
  readonly dimension: string;
  readonly fields: readonly string[];
  /** By what the sum of the fields is divided for a bucket of a minute. */
  readonly divisor: number;
  /** Whether a row without a field has none of it. */
  readonly isOpen?: true;
  /** Whether a wider bucket divides it further. */
  readonly isRate: boolean;
}

/** The column of a dimension: counters go on in the unit in which they were begun. */
export function columnOf(
  { by }: Target,
  metric: string,
  dimension: string,
  { fields, unit, isRate }: DimensionFields,
  units: UnitOverrides,
): Column {
  const { scale } = facesOf(metric, dimension, { scope: by, units }).gauge;
  const seconds = isRate === true ? MINUTE_MS / 1_000 : 1;
  return { dimension, fields, divisor: (scale / UNITS[unit]) * seconds, isRate: isRate === true };
}

/** The series of one configuration in the rows of a dataset, as every other source has them. */
export function decodeColumns(
  answer: DatasetRows,
  key: string,
  columns: readonly Column[],
  window: Window,
): Decoded {
  const mine = answer.byKey.get(key) ?? NOTHING;
  const { width } = answer;
  const rejected: Rejections = new Map(mine.rejected);
  for (const [reason, rows] of answer.unplaced) reject(rejected, reason, rows);
  const places = placesOf(mine, answer, window);
  const series = new Map<string, Points>();
  const valueless = new Map<string, Float64Array>();
  for (const column of columns) {
    const { points, without } = valuesOf(places, column, width ?? MINUTE_MS, rejected);
    series.set(column.dimension, points);
    if (without.length > 0) valueless.set(column.dimension, Float64Array.from(without));
  }
  return {
    series,
    width: places.length === 0 ? undefined : width,
    rejected,
    ...(valueless.size > 0 && { valueless }),
    rows: mine.times.length,
  };
}

const NOTHING: KeyRows = { times: [], rows: [], rejected: new Map() };

/** A bucket: its start, and its row; `undefined` where it is ambiguous, `absent` where there was nothing. */
interface Place {
  readonly time: number;
  readonly row: Row | 'absent' | undefined;
}

/**
 * The buckets of a configuration. There is no row where there was nothing: so where the answer is known to be whole, and the
 * dataset has newer rows, an absent row is a zero. Anywhere else it is missing.
 */
function placesOf({ times, rows, rejected }: KeyRows, answer: DatasetRows, window: Window): Place[] {
  const { width, wholeUntil, holes } = answer;
  const present: Place[] = [];
  for (const [index, time] of times.entries())
    if (time >= window.from && time < window.to) present.push({ time, row: rows[index] });
  // A row without a usable time may be that of any bucket.
  const isUnclear = UNPLACED.some((reason) => rejected.has(reason));
  if (width === undefined || wholeUntil === undefined || isUnclear) return present;
  const isInHole = (time: number) => holes.some(({ from, to }) => time >= from && time < to);
  const places: Place[] = [];
  let next = 0;
  for (let time = Math.ceil(window.from / width) * width; time < window.to; time += width) {
    while (next < present.length && Number(present[next]?.time) < time) next += 1;
    const here = present[next];
    if (here !== undefined && here.time === time) places.push(here);
    else if (time + width <= wholeUntil && !isInHole(time)) places.push({ time, row: 'absent' });
  }
  return places;
}

const UNPLACED = ['bad_timestamp', 'misaligned'] as const;

function valuesOf(
  places: readonly Place[],
  column: Column,
  width: number,
  rejected: Rejections,
): { readonly points: Points; readonly without: readonly number[] } {
  const timestamps = shortLivedArray(places.length);
  const values = shortLivedArray(places.length);
  const without: number[] = [];
  const divisor = column.isRate ? (column.divisor * width) / MINUTE_MS : column.divisor;
  let size = 0;
  for (const { time, row } of places) {
    const value = row === 'absent' ? 0 : row === undefined ? undefined : sumOf(row, column, rejected);
    if (value === undefined) {
      without.push(time);
      continue;
    }
    timestamps[size] = time;
    values[size] = value / divisor;
    size += 1;
  }
  return { points: { timestamps: timestamps.subarray(0, size), values: values.subarray(0, size) }, without };
}

/** The sum of some fields of a row; undefined where one of them is not usable. */
function sumOf(row: Row, { fields, isOpen }: Column, rejected: Rejections): number | undefined {
  let sum = 0;
  for (const field of fields) {
    const value = row[field] ?? (isOpen && 0);
    const fault = valueFault(value);
    if (fault !== undefined || typeof value !== 'number') {
      reject(rejected, fault ?? 'bad_value', 1);
      return undefined;
    }
    sum += value;
  }
  return sum;
}
