import { PlatformFailure } from '../platform/read.ts';
import { bucketsOf, type Points, type Rejections, reject } from './points.ts';

/** Shares are given in percent, and may be beside 100 by a rounding. */
const MOST_PERCENT = 100.01;

/** Content of an answer. */
export interface Decoded {
  /** By dimension; '' for a series without a name. */
  readonly series: ReadonlyMap<string, Points>;
  readonly rejected: Rejections;
  /** Starts of the buckets that are in the answer without a usable value, by dimension; undefined if there are none. */
  readonly valueless?: ReadonlyMap<string, Float64Array>;
  /** Rows in the answer, the dropped ones included. */
  readonly rows: number;
  /**
   * Set where the series together hold everything: exactly these are counted from now on, instead of those that were as the
   * answer was taken, which are named here.
   */
  readonly insteadOf?: readonly string[];
}

/**
 * The series in the answer to a read of a metric (sections 2.12, 4.12, 4.13), tolerantly: bad rows and dimensions are
 * dropped and counted, the others live.
 * @param now the platform's time, to know buckets of the future
 * @throws PlatformFailure undecodable when the answer as a whole is not usable
 */
export function decodeSeries(body: unknown, asked: AskedSeries, now: number): Decoded {
  const { series: shapes, misshapen, overLimit } = shapeOf(body, asked);
  const rejected: Rejections = new Map();
  reject(rejected, 'not_a_series', misshapen);
  reject(rejected, 'over_limit', overLimit);
  const series = new Map<string, Points>();
  const valueless = new Map<string, Float64Array>();
  let rows = 0;
  for (const [dimension, given] of shapes) {
    rows += given.length;
    const name = dimension === '' ? (asked.dimension ?? '') : dimension;
    const most = asked.isPercent?.(name) ? MOST_PERCENT : undefined;
    const buckets = bucketsOf(given, now, rejected, most);
    const without = buckets.timestamps.filter((_, index) => Number.isNaN(buckets.values[index]));
    if (without.length > 0) valueless.set(dimension, without);
    series.set(dimension, without.length > 0 ? valuedOf(buckets) : buckets);
  }
  return { series, rejected, ...(valueless.size > 0 && { valueless }), rows };
}

/** Returns the buckets that have a value. */
function valuedOf({ timestamps, values }: Points): Points {
  return {
    timestamps: timestamps.filter((_, index) => !Number.isNaN(values[index])),
    values: values.filter((value) => !Number.isNaN(value)),
  };
}

/** The answers to the reads of a metric's single dimensions over one window, as if one read had brought all. */
export function mergeDecoded(answers: readonly Decoded[]): Decoded {
  const rejected: Rejections = new Map();
  for (const answer of answers) for (const [reason, rows] of answer.rejected) reject(rejected, reason, rows);
  return {
    series: new Map(answers.flatMap(({ series }) => [...series])),
    rejected,
    valueless: new Map(answers.flatMap(({ valueless = [] }) => [...valueless])),
    rows: answers.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** The key counted most often, the smaller of two as frequent; undefined when nothing was counted. */
export function mostFrequent(counts: ReadonlyMap<number, number>): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [key, times] of counts) {
    if (times < most || (times === most && best !== undefined && key > best)) continue;
    best = key;
    most = times;
  }
  return best;
}

/** Series that a read asked for, to find it in the answer. */
export interface AskedSeries {
  /** The API metric's name. */
  readonly metric: string;
  /** Id of the configuration or product. */
  readonly id: string;
  readonly dimension?: string | undefined;
  /** Returns true for dimensions in percent; undefined for none. */
  readonly isPercent?: ((dimension: string) => boolean) | undefined;
}

/**
 * Dimensions of an answer that are taken, from the first on. The platform has metrics with a few dozen; each takes
 * memory as long as the exporter runs.
 */
export const MOST_DIMENSIONS = 1_000;

/** The series of an answer. */
interface Shape {
  /** By dimension; '' without a name. */
  readonly series: ReadonlyMap<string, readonly unknown[]>;
  /** Dimensions of another form. */
  readonly misshapen: number;
  /** Dimensions beyond the limit. */
  readonly overLimit: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: Shape = { series: new Map(), misshapen: 0, overLimit: 0 };

/**
 * Finds the series in an answer, which may be a bare `[[ts, value], …]`, `{dimension: series}`, `{metric: {dimension:
 * series}}` or `{configurations|products: {id: {metric: {dimension: series}}}}`, each also below `results`
 * (sections 2.12, 4.12 and 4.13, which show some of these, and answers seen besides).
 * @throws PlatformFailure undecodable when the answer is none of these or not about what was asked for
 */
function shapeOf(body: unknown, asked: AskedSeries): Shape {
  const found = underMetric(underId(underResults(body), asked), asked);
  if (isBlank(found)) return NOTHING;
  if (Array.isArray(found)) return { ...NOTHING, series: new Map([[asked.dimension ?? '', pairsOf(found)]]) };
  if (isObject(found)) return byDimension(found, asked);
  throw undecodable(`${kindOf(found)} where series of ${asked.metric} were expected`);
}

function underResults(body: unknown): unknown {
  const inner = isObject(body) && Object.hasOwn(body, 'results') ? body['results'] : body;
  return Array.isArray(inner) && inner.length === 1 && isObject(inner[0]) ? inner[0] : inner;
}

function underId(body: unknown, { id }: AskedSeries): unknown {
  if (!isObject(body)) return body;
  const groups = ['configurations', 'products'].filter((name) => Object.hasOwn(body, name));
  if (groups.length === 0) return body;
  let others: string | undefined;
  for (const group of groups) {
    const byId = body[group];
    if (isBlank(byId)) continue;
    if (!isObject(byId)) throw undecodable(`${kindOf(byId)} below ${group} where ids were expected`);
    if (Object.hasOwn(byId, id)) return byId[id];
    others ??= `${group} ${namesIn(byId)}`;
  }
  if (others !== undefined) throw undecodable(`the answer is about ${others}, not about ${id}`);
  return undefined;
}

function underMetric(body: unknown, { metric }: AskedSeries): unknown {
  return isObject(body) && Object.hasOwn(body, metric) ? body[metric] : body;
}

function byDimension(found: JsonObject, { metric, dimension }: AskedSeries): Shape {
  const series = new Map<string, readonly unknown[]>();
  let misshapen = 0;
  let overLimit = 0;
  for (const name of Object.keys(found)) {
    const value = found[name] ?? [];
    if (name === '' || !Array.isArray(value)) misshapen += 1;
    else if (series.size < MOST_DIMENSIONS || name === dimension) series.set(name, pairsOf(value));
    else overLimit += 1;
  }
  if (series.size === 0) throw undecodable(`no series of ${metric} in ${namesIn(found)}`);
  if (dimension === undefined) return { series, misshapen, overLimit };
  const rows = series.get(dimension);
  if (rows === undefined) throw undecodable(`no dimension ${dimension} of ${metric} in ${namesIn(found)}`);
  return { series: new Map([[dimension, rows]]), misshapen, overLimit: 0 };
}

// The metrics API documents its series as bare pairs: one alone is a series of one.
function pairsOf(value: readonly unknown[]): readonly unknown[] {
  const [timestamp, number] = value;
  return value.length === 2 && typeof timestamp === 'number' && typeof number === 'number' ? [value] : value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBlank(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return (
    typeof value === 'object' && (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0)
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** The first few keys, cut short: an answer can hold thousands of any length. */
function namesIn(object: JsonObject): string {
  const names = Object.keys(object);
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name.slice(0, 40)));
  return names.length > shown.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
}

function undecodable(reason: string): PlatformFailure {
  return new PlatformFailure('undecodable', reason);
}
