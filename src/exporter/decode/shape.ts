import { PlatformFailure } from '../platform/read.ts';

/** What a read was asked for, to find it in the answer. */
export interface Asked {
  /** The API metric's name. */
  readonly metric: string;
  /** Id of the configuration or product. */
  readonly id: string;
  /** Of a dimension read, its name. */
  readonly dimension?: string | undefined;
}

/**
 * So many dimensions of an answer are taken, those that come first. The platform has metrics of a few dozen; each
 * costs memory for as long as the exporter runs.
 */
export const MOST_DIMENSIONS = 1_000;

/** The series of an answer. */
export interface Shape {
  /** By dimension, '' where it has no name. */
  readonly series: ReadonlyMap<string, readonly unknown[]>;
  /** How many dimensions hold something else. */
  readonly misshapen: number;
  /** How many dimensions were more than are taken. */
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
export function shapeOf(body: unknown, asked: Asked): Shape {
  const found = underMetric(underId(underResults(body), asked), asked);
  if (isEmpty(found)) return NOTHING;
  if (Array.isArray(found)) return { ...NOTHING, series: new Map([[asked.dimension ?? '', rowsOf(found)]]) };
  if (isObject(found)) return byDimension(found, asked);
  throw undecodable(`${kindOf(found)} where series of ${asked.metric} were expected`);
}

function underResults(body: unknown): unknown {
  const inner = isObject(body) && Object.hasOwn(body, 'results') ? body['results'] : body;
  return Array.isArray(inner) && inner.length === 1 && isObject(inner[0]) ? inner[0] : inner;
}

function underId(body: unknown, { id }: Asked): unknown {
  if (!isObject(body)) return body;
  const groups = ['configurations', 'products'].filter((name) => Object.hasOwn(body, name));
  if (groups.length === 0) return body;
  let others: string | undefined;
  for (const group of groups) {
    const byId = body[group];
    if (isEmpty(byId)) continue;
    if (!isObject(byId)) throw undecodable(`${kindOf(byId)} below ${group} where ids were expected`);
    if (Object.hasOwn(byId, id)) return byId[id];
    others ??= `${group} ${namesIn(byId)}`;
  }
  if (others !== undefined) throw undecodable(`the answer is about ${others}, not about ${id}`);
  return undefined;
}

function underMetric(body: unknown, { metric }: Asked): unknown {
  return isObject(body) && Object.hasOwn(body, metric) ? body[metric] : body;
}

function byDimension(found: JsonObject, { metric, dimension }: Asked): Shape {
  const series = new Map<string, readonly unknown[]>();
  let misshapen = 0;
  let overLimit = 0;
  for (const name of Object.keys(found)) {
    const value = found[name] ?? [];
    if (name === '' || !Array.isArray(value)) misshapen += 1;
    else if (series.size < MOST_DIMENSIONS || name === dimension) series.set(name, rowsOf(value));
    else overLimit += 1;
  }
  if (series.size === 0) throw undecodable(`no series of ${metric} in ${namesIn(found)}`);
  if (dimension === undefined) return { series, misshapen, overLimit };
  const rows = series.get(dimension);
  if (rows === undefined) throw undecodable(`no dimension ${dimension} of ${metric} in ${namesIn(found)}`);
  return { series: new Map([[dimension, rows]]), misshapen, overLimit: 0 };
}

// The metrics API documents its series as bare pairs: one alone is a series of one.
function rowsOf(value: readonly unknown[]): readonly unknown[] {
  const [timestamp, number] = value;
  return value.length === 2 && typeof timestamp === 'number' && typeof number === 'number' ? [value] : value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
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
