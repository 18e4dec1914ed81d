import { facesOf } from '../catalogue/catalogue.ts';
import type { UnitOverrides } from '../catalogue/units.ts';
import type { Decoded } from '../decode/decode.ts';
import { type Points, type Rejections, reject, valueFault } from '../decode/points.ts';
import { PlatformFailure } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Target } from '../targets/target.ts';
import { holesIn, mayBeLost, wholeUntil, widthShown } from './absent-rows.ts';
import { type DimensionFields, MARK, type Split, UNITS } from './fields.ts';

/** Row of a response, not validated. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of one key, ordered by the start of their bucket. */
export interface KeyRows {
  readonly times: readonly number[];
  /** Rows in the order of their times; undefined where several rows have the same bucket and the right one is unknown. */
  readonly rows: readonly (Row | undefined)[];
  readonly rejected: Rejections;
}

/** Rows of a dataset, decoded from a response. */
export interface DatasetRows {
  /** Rows per value of the key; the only key is '' if rows are not grouped by a key. */
  readonly byKey: ReadonlyMap<string, KeyRows>;
  /** Width (ms) of the buckets. */
  readonly width: number;
  /**
   * Time (ms since the epoch) until which an absent row means no traffic: newer rows exist, and nothing was truncated or refused.
   * Undefined if absent rows show nothing.
   */
  readonly wholeUntil: number | undefined;
  /**
   * Spans in which an absent row shows nothing. Either no key has a row for longer than chance explains, or a row without an owner
   * may belong to any key.
   */
  readonly holes: readonly Window[];
  /** Number of rows with an unknown owner, per reason. Excludes unowned traffic, which has a row in nearly every bucket. */
  readonly unplaced: Rejections;
}

/** Returns the rows of a dataset in a response. @throws PlatformFailure `undecodable` if the response has another form */
export function rowsOf(body: unknown, dataset: string): readonly unknown[] {
  const { data, errors } = objectOf(body) ?? {};
  if (Array.isArray(errors) && errors.length > 0)
    throw new PlatformFailure('undecodable', `the answer has errors: ${messagesOf(errors)}`);
  const rows = objectOf(data)?.[dataset];
  if (!Array.isArray(rows))
    throw new PlatformFailure('undecodable', `the answer has no list of rows of ${dataset}`);
  return rows;
}

/** Request and time of a response, which may have been read in several parts. */
export interface Answered {
  readonly key: string | undefined;
  /** Field that breaks down the rows of a time and key further. Its rows are merged into one. */
  readonly split?: Split | undefined;
  readonly window: Window;
  /** The platform's time (ms since the epoch) when the response arrived. */
  readonly now: number;
}

/** Groups rows by key and orders them by time. */
export function datasetRows(rows: readonly unknown[], asked: Answered): DatasetRows {
  const { window, now } = asked;
  const { byKey, ofNone, unplaced, starts } = placed(rows, asked);
  const lost = mayBeLost(ofNone.sorted(nowhere), starts);
  const isUnclear = unplaced.size > 0 || lost === 'of any time';
  const mayLack = lost === 'of any time' ? starts : lost;
  reject(unplaced, 'bad_item', lost === 'of any time' ? ofNone.given : lost.size);
  const sorted = [...starts].sort((a, b) => a - b);
  const width = widthShown(sorted);
  const isWhole = !isUnclear && width === MINUTE_MS;
  const newest = sorted.at(-1);
  const unclear = isUnclear ? anywhere : mayLack.has.bind(mayLack);
  const gaps = [...mayLack].map((from) => ({ from, to: from + MINUTE_MS }));
  return {
    byKey: new Map([...byKey].map(([id, mine]) => [id, mine.sorted(unclear)])),
    width: width ?? MINUTE_MS,
    wholeUntil: isWhole && newest !== undefined ? wholeUntil(newest, now) : undefined,
    holes: isWhole ? [...holesIn(sorted, window.from), ...gaps] : [],
    unplaced,
  };
}

const anywhere = () => true;
const nowhere = () => false;

/** Groups rows by owner, and collects the times (ms since the epoch) of rows that have an owner. */
function placed(rows: readonly unknown[], { key, split, window, now }: Answered) {
  const byKey = new Map<string, SortedRows>();
  const ofNone = new SortedRows(split);
  const unplaced: Rejections = new Map();
  const starts = new Set<number>();
  for (const given of rows) {
    const row = objectOf(given);
    const id = keyOf(row, key);
    if (row === undefined || (id === undefined && !isOfNone(row, key))) {
      reject(unplaced, row === undefined ? 'not_a_pair' : 'bad_item', 1);
      continue;
    }
    const mine = id === undefined ? ofNone : (byKey.get(id) ?? new SortedRows(split));
    if (id !== undefined) byKey.set(id, mine);
    const start = mine.take(row, now);
    if (start === undefined || start < window.from || start >= window.to) continue;
    mine.add(start, row);
    if (id !== undefined) starts.add(start);
  }
  return { byKey, ofNone, unplaced, starts };
}

/** Returns true if a row has no owner. */
function isOfNone(row: Row, key: string | undefined): boolean {
  return key !== undefined && (row[key] === null || row[key] === '');
}

/** Rows of one key, collected in the order of the response. */
class SortedRows {
  readonly rejected: Rejections = new Map();
  /** Number of rows collected. */
  given = 0;
  readonly #split: Split | undefined;
  readonly #byTime = new Map<number, Whole | undefined>();
  readonly #repeated = new Map<number, number>();

  constructor(split: Split | undefined) {
    this.#split = split;
  }

  /** Returns the start of a row's bucket; undefined if it is not usable. */
  take(row: Row, now: number): number | undefined {
    this.given += 1;
    const start = timeOf(row['ts']);
    if (start === undefined) reject(this.rejected, 'bad_timestamp', 1);
    else if (start > now + MINUTE_MS) reject(this.rejected, 'future', 1);
    else if (start % MINUTE_MS !== 0) reject(this.rejected, 'misaligned', 1);
    else return start;
    return undefined;
  }

  add(time: number, row: Row): void {
    const before = this.#byTime.get(time);
    const isFirst = !this.#byTime.has(time);
    const parts = this.#split?.partsOf(row[this.#split.by]);
    if (this.#split === undefined) this.#byTime.set(time, isFirst ? row : undefined);
    else if (parts === undefined) {
      // The row may be a part of any of the values, so none of its time is known.
      reject(this.rejected, 'bad_item', 1);
      this.#byTime.set(time, undefined);
      return;
    } else if (isFirst || before !== undefined) {
      this.#byTime.set(time, withParts(before ?? nothingOf(this.#split), row, parts, this.#split.by));
    }
    if (this.#byTime.get(time) === undefined) this.#repeated.set(time, (this.#repeated.get(time) ?? 1) + 1);
  }

  /** @param isUnclear returns true if rows of a time may be missing because their owner is unknown */
  sorted(isUnclear: (time: number) => boolean): KeyRows {
    // A row without a usable time or owner may belong to any bucket.
    const isMisplaced = MISPLACED.some((reason) => this.rejected.has(reason));
    const lacks = (time: number) => this.#split !== undefined && (isMisplaced || isUnclear(time));
    for (const times of this.#repeated.values()) reject(this.rejected, 'duplicate', times);
    const times = [...this.#byTime.keys()].sort((a, b) => a - b);
    const rows = times.map((time) => (lacks(time) ? undefined : this.#byTime.get(time)));
    return { times, rows, rejected: this.rejected };
  }
}

const MISPLACED = ['bad_timestamp', 'future', 'misaligned'] as const;

/** Row merged from several. It has no prototype, so that values may have the names of properties that every object has. */
type Whole = Record<string, unknown>;

/** Returns a merged row with all parts at zero. */
function nothingOf({ parts }: Split): Whole {
  return Object.assign(Object.create(null), Object.fromEntries(parts.map((part) => [part, 0])));
}

/** Adds a row to some parts of a merged row. Returns undefined if the merged row contains a row with the same value already. */
function withParts(whole: Whole, row: Row, parts: readonly string[], by: string): Whole | undefined {
  const name = `${MARK}${JSON.stringify(row[by])}`;
  if (Object.hasOwn(whole, name)) return undefined;
  const sum = valueFault(row['sum']) === undefined ? Number(row['sum']) : Number.NaN;
  whole[name] = true;
  for (const part of parts) whole[part] = Number(whole[part] ?? 0) + sum;
  return whole;
}

/** Returns the rows of a piece without those of other pieces: the platform may include the end of a requested window. */
export function rowsOfPiece(rows: readonly unknown[], piece: Window, part: Window): readonly unknown[] {
  if (piece.from === part.from && piece.to === part.to) return rows;
  return rows.filter((row) => {
    const start = timeOf(objectOf(row)?.['ts']);
    return start === undefined || isIn(piece, start) || !isIn(part, start);
  });
}

function isIn({ from, to }: Window, time: number): boolean {
  return time >= from && time < to;
}

function objectOf(value: unknown): Row | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Row) : undefined;
}

/** Returns the key of a row: '' if rows are not grouped by a key, undefined if this row has no valid key. */
export function keyOf(row: unknown, key: string | undefined): string | undefined {
  if (key === undefined) return '';
  const id = objectOf(row)?.[key];
  if (typeof id === 'string') return id === '' ? undefined : id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Returns the ms since the epoch of an ISO 8601 time; without a zone it is UTC. Undefined for any other value. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const match = TIME.exec(value);
  if (match === null) return undefined;
  const time = Date.parse(match[1] === undefined ? `${value}Z` : value);
  return Number.isNaN(time) ? undefined : time;
}

const LONGEST_WORDS = 200;

function messagesOf(errors: readonly unknown[]): string {
  const words = errors.slice(0, 5).map((error) => String(objectOf(error)?.['message'] ?? 'no message'));
  return words.join('; ').slice(0, LONGEST_WORDS);
}

/** Rule that computes the value of a dimension from a row, in the unit of the REST API. */
export interface Column {
  readonly dimension: string;
  readonly fields: readonly string[];
  /** Divisor of the sum in a bucket of one minute. */
  readonly divisor: number;
  /** True if a row without the field counts as zero. */
  readonly isOpen?: true;
  /** True if the divisor grows with the width of the bucket. */
  readonly isRate: boolean;
}

/** Returns the column of a dimension. Counters keep the unit in which they started. */
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

/**
 * Returns the series of one configuration in the rows of a dataset, in the form that every source uses.
 * @param faulty counts the unusable values, which belong to no other series
 */
export function decodeColumns(
  answer: DatasetRows,
  key: string,
  columns: readonly Column[],
  { window, faulty }: { readonly window: Window; readonly faulty: Rejections },
): Decoded {
  const mine = answer.byKey.get(key) ?? NOTHING;
  const { width } = answer;
  const rejected: Rejections = new Map(mine.rejected);
  for (const [reason, rows] of answer.unplaced) reject(rejected, reason, rows);
  const places = placesOf(mine, answer, window);
  const series = new Map<string, Points>();
  const valueless = new Map<string, Float64Array>();
  for (const column of columns) {
    const mineFaulty: Rejections = new Map();
    const { points, without } = valuesOf(places, column, width, mineFaulty);
    for (const [reason, rows] of mineFaulty) {
      reject(rejected, reason, rows);
      reject(faulty, reason, rows);
    }
    series.set(column.dimension, points);
    if (without.length > 0) valueless.set(column.dimension, Float64Array.from(without));
  }
  return {
    series,
    rejected,
    ...(valueless.size > 0 && { valueless }),
    rows: mine.times.length,
  };
}

const NOTHING: KeyRows = { times: [], rows: [], rejected: new Map() };

/** A bucket: its start, and its row. The row is `undefined` if it is ambiguous, and `absent` if there was no traffic. */
interface Place {
  readonly time: number;
  readonly row: Row | 'absent' | undefined;
}

/**
 * Returns the buckets of a configuration. The platform sends no row for a bucket without traffic. So an absent row counts as zero
 * where the dataset is complete and has newer rows; elsewhere the bucket is missing.
 */
function placesOf({ times, rows, rejected }: KeyRows, answer: DatasetRows, window: Window): Place[] {
  const { wholeUntil, holes } = answer;
  const present: Place[] = [];
  for (const [index, time] of times.entries())
    if (time >= window.from && time < window.to) present.push({ time, row: rows[index] });
  // A row without a usable time may belong to any bucket.
  const isUnclear = UNPLACED.some((reason) => rejected.has(reason));
  if (wholeUntil === undefined || isUnclear) return present;
  const isInHole = (time: number) => holes.some(({ from, to }) => time >= from && time < to);
  const places: Place[] = [];
  let next = 0;
  for (let time = Math.ceil(window.from / MINUTE_MS) * MINUTE_MS; time < window.to; time += MINUTE_MS) {
    while (next < present.length && Number(present[next]?.time) < time) next += 1;
    const here = present[next];
    if (here !== undefined && here.time === time) places.push(here);
    else if (time + MINUTE_MS <= wholeUntil && !isInHole(time)) places.push({ time, row: 'absent' });
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
  const timestamps = new Float64Array(places.length);
  const values = new Float64Array(places.length);
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

/** Returns the sum of some fields of a row; undefined if one of them is not usable. */
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
