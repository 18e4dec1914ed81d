import { PlatformFailure } from '../platform/read.ts';
import { bucketsOf, type Points, type Rejections, reject } from './points.ts';

/** Largest valid share, in percent. Rounding on the platform can raise a share slightly above 100. */
const MOST_PERCENT = 100.01;

/** Series decoded from a response. */
export interface Decoded {
  /** Points per dimension; the key is '' for a series without a name. */
  readonly series: ReadonlyMap<string, Points>;
  readonly rejected: Rejections;
  /** Starts of the buckets without a usable value, per dimension; undefined if every bucket has a value. */
  readonly valueless?: ReadonlyMap<string, Float64Array>;
  /** Number of rows in the response, including dropped ones. */
  readonly rows: number;
  /** Names of the counters at the time of the read, which the series of this response replace; undefined if the counters stay. */
  readonly insteadOf?: readonly string[];
}

/**
 * Decodes the series in the response to a read of a metric (sections 2.12, 4.12, 4.13). Drops and counts bad rows and dimensions;
 * returns all others.
 * @param now the platform's time, from which buckets of the future are recognised
 * @throws PlatformFailure `undecodable` if the response as a whole is not usable
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

function valuedOf({ timestamps, values }: Points): Points {
  return {
    timestamps: timestamps.filter((_, index) => !Number.isNaN(values[index])),
    values: values.filter((value) => !Number.isNaN(value)),
  };
}

/** Merges the responses to reads of a metric's single dimensions over one window into one result. */
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

/** Returns the key with the highest count, and the smallest of equally frequent keys; undefined if the map is empty. */
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

/** Series that a read requested; identifies them in the response. */
export interface AskedSeries {
  /** The API metric's name. */
  readonly metric: string;
  /** Id of the configuration or product. */
  readonly id: string;
  readonly dimension?: string | undefined;
  /** Returns true for dimensions in percent. If undefined, no dimension is in percent. */
  readonly isPercent?: ((dimension: string) => boolean) | undefined;
}

/**
 * Maximum number of dimensions decoded from a response; further ones are dropped. The platform has metrics with a few dozen, and
 * each takes memory as long as the exporter runs.
 */
export const MOST_DIMENSIONS = 1_000;

/** Series found in a response, before their rows are decoded. */
interface Shape {
  /** Rows per dimension; the key is '' for a series without a name. */
  readonly series: ReadonlyMap<string, readonly unknown[]>;
  /** Number of dimensions whose value is not a list of rows. */
  readonly misshapen: number;
  /** Number of dimensions beyond the limit. */
  readonly overLimit: number;
}

type JsonObject = Readonly<Record<string, unknown>>;

const NOTHING: Shape = { series: new Map(), misshapen: 0, overLimit: 0 };

/**
 * Finds the series in a response. Accepts a bare `[[ts, value], …]`, `{dimension: series}`, `{metric: {dimension: series}}` and
 * `{configurations|products: {id: {metric: {dimension: series}}}}`, each also below `results`. Sections 2.12, 4.12 and 4.13 show
 * some of these shapes; the others occur in real responses.
 * @throws PlatformFailure `undecodable` if the response has another shape, or is about another series
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

// The metrics API documents its series as bare pairs, so a single pair is a series with one row.
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

/** Returns the first few keys, shortened: a response can have thousands of keys of any length. */
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
