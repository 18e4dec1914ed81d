import { QUESTIONS, type Resource } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';

/** Maximum numbers of fields and rows that the platform accepts in one question. */
export const MOST_FIELDS = 37;
export const MOST_ROWS = 10_000;

/** A GraphQL question. Only its variables change from one minute to the next. */
export interface Question {
  readonly document: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the resource of a question. @throws Error if the document is not a read-only query, which is a bug in the exporter */
export function resourceOf({ document, variables }: Question): Resource {
  if (!/^query\b/.test(document) || /\b(mutation|subscription)\b/.test(document)) {
    throw new Error('a question only reads');
  }
  return {
    path: QUESTIONS.path,
    version: 3,
    question: JSON.stringify({ query: document, variables }),
  };
}

/** Parameters of a question about a dataset. Times are ms since the epoch. */
export interface DatasetQuestion {
  readonly dataset: string;
  /** Field that groups rows of one time; undefined for the sum of all. */
  readonly key: string | undefined;
  /** Field that breaks down the rows of a time and key further; undefined for no breakdown. */
  readonly by?: string | undefined;
  /** Names of calculated fields. For a measure, the name of what is summed; the response calls the result `sum`. */
  readonly fields: readonly string[];
  readonly summed: string | undefined;
  readonly window: Window;
  /** Values of `key` to select; undefined for all. */
  readonly ids: readonly string[] | undefined;
  /** Maximum number of rows. A response with exactly this number counts as truncated. */
  readonly limit: number;
}

/** Returns a question for the rows of a dataset. @param isOfTimes true for rows per time and key; false for rows per key */
export function datasetQuestion(asked: DatasetQuestion, isOfTimes = true): Question {
  const { dataset, key, by, fields, summed, window, ids, limit } = asked;
  const only = key === undefined || ids === undefined ? '' : `, ${key}In: ${JSON.stringify(ids)}`;
  const keys = [...(isOfTimes ? ['ts'] : []), key, by].filter((name) => name !== undefined);
  const parts = [
    `limit: ${limit}`,
    ...(summed === undefined ? [] : [`aggregate: {sum: ${summed}}`]),
    `groupBy: [${keys.join(', ')}]`,
    ...(isOfTimes ? ['orderBy: [ts_ASC]'] : []),
    `filter: {tsRange: {begin: $begin, end: $end}${only}}`,
  ];
  const selected = [...keys, ...(summed === undefined ? fields : ['sum'])];
  return {
    document: `query ($begin: DateTime!, $end: DateTime!) { ${dataset}(${parts.join(', ')}) { ${selected.join(' ')} } }`,
    variables: { begin: timeText(window.from), end: timeText(window.to) },
  };
}

/** Question that requests the fields of each dataset. */
export const SCHEMA_QUESTION: Question = {
  document:
    'query { __schema { queryType { fields { name type { name ofType { name ofType { name ofType { name } } } } } } types { name fields { name } } } }',
  variables: {},
};

function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Part of a read that one operation requests: some keys over a window. */
export interface Piece {
  readonly window: Window;
  /** Keys to request; undefined for all. */
  readonly ids: readonly string[] | undefined;
}

/** Maximum number of keys that a question lists. With more keys, the question requests all keys without a filter. */
export const MOST_IDS = 500;

/** Number of buckets that a regular poll requests if nothing delays it. */
export const USUAL_BUCKETS = 15;

/** Returns the keys to list in a question. Returns undefined to request all keys: for the sum of all (''), or above `MOST_IDS`. */
export function namedKeys(keys: readonly string[]): readonly string[] | undefined {
  return keys.includes('') || keys.length > MOST_IDS ? undefined : keys;
}

/**
 * Splits a read in time, so that each piece is expected to have at most `limit` rows. A piece has at least one bucket, even if that
 * exceeds the limit.
 * @param perBucket expected number of rows of all keys in a bucket
 * @param limit maximum number of rows of a response; one with exactly this number counts as truncated
 */
export function piecesOf(piece: Piece, perBucket: number, limit: number): Piece[] {
  return inTime(piece, Math.max(1, Math.floor(limit / perBucket)));
}

/**
 * Splits a piece whose response was truncated into two halves: in time, or by keys if it has only one bucket. Returns an empty
 * array for one bucket of one key.
 * @param keys all requested keys, for a piece that lists none
 */
export function halves(piece: Piece, keys: readonly string[]): Piece[] {
  const { window } = piece;
  const buckets = bucketsIn(window);
  if (buckets > 1) return inTime(piece, Math.ceil(buckets / 2));
  const ids = piece.ids ?? keys;
  const middle = Math.ceil(ids.length / 2);
  return ids.length > 1
    ? [ids.slice(0, middle), ids.slice(middle)].map((some) => ({ window, ids: some }))
    : [];
}

/** Returns the number of one-minute buckets in a window, at least 1. */
export function bucketsIn({ from, to }: Window): number {
  return Math.max(1, Math.ceil((to - from) / MINUTE_MS));
}

/** Splits a piece into pieces of a number of buckets. */
function inTime({ window, ids }: Piece, buckets: number): Piece[] {
  const step = buckets * MINUTE_MS;
  const pieces: Piece[] = [];
  for (let { from } = window; from < window.to; from += step) {
    pieces.push({ window: { from, to: Math.min(from + step, window.to) }, ids });
  }
  return pieces;
}

/** Estimated number of characters of a field with its name, and of a row without its fields, in a response. */
const FIELD_BYTES = 36;
const ROW_BYTES = 80;

/** Returns the maximum number of rows to request, limited by the platform and by the maximum size of a response. */
export function rowLimit(fields: number, mostBytes: number): number {
  const fitting = Math.floor((0.9 * mostBytes) / (ROW_BYTES + fields * FIELD_BYTES));
  return Math.max(1, Math.min(MOST_ROWS, fitting));
}
