import { QUESTIONS, type Resource } from '../platform/read.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';

/** The most that the platform lets select and answer. */
export const MOST_FIELDS = 37;
export const MOST_ROWS = 10_000;

/** A question, ready to be sent. Only its variables change from one minute to the next. */
export interface Question {
  readonly document: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** @throws Error when the document could do anything but read: a mistake in the program */
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

/** Question about a dataset. Times are ms since the epoch. */
export interface DatasetQuestion {
  readonly dataset: string;
  /** The field by which rows of one time are grouped; undefined for the sum of all. */
  readonly key: string | undefined;
  /** A field by which they are broken down further. */
  readonly by?: string | undefined;
  /** Calculated fields by name; or, of a measure, what is summed, which the answer calls `sum`. */
  readonly fields: readonly string[];
  readonly summed: string | undefined;
  readonly window: Window;
  /** Values of `key` that are wanted; undefined for all. */
  readonly ids: readonly string[] | undefined;
  /** Most rows. An answer with as many was cut. */
  readonly limit: number;
}

/** The rows of a dataset, each of one time and key; or of one key, whatever the time. */
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

/** Question for the fields of each dataset. */
export const SCHEMA_QUESTION: Question = {
  document:
    'query { __schema { queryType { fields { name type { name ofType { name ofType { name ofType { name } } } } } } types { name fields { name } } } }',
  variables: {},
};

function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Part of a read that one operation asks for: some keys over some time. */
export interface Piece {
  readonly window: Window;
  /** Undefined for all keys that there are. */
  readonly ids: readonly string[] | undefined;
}

/** More keys than these are not named: all are asked for. */
export const MOST_IDS = 500;

/** Buckets that a read of the present asks for if nothing delays it. */
export const USUAL_BUCKETS = 15;

/** Returns the keys that a question names; undefined for the sum of all, and for more than are named. */
export function namedKeys(keys: readonly string[]): readonly string[] | undefined {
  return keys.includes('') || keys.length > MOST_IDS ? undefined : keys;
}

/** Returns the operations that bring some keys, each with fewer rows than are cut. @param perBucket rows of all keys in a bucket */
export function piecesOf(piece: Piece, perBucket: number, limit: number): Piece[] {
  return inTime(piece, Math.max(1, Math.floor(limit / perBucket)));
}

/** Returns two halves of a piece whose answer was cut; none if it cannot be halved. @param keys all keys that are wanted */
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

/** Returns with how many buckets a window is answered. */
export function bucketsIn({ from, to }: Window): number {
  return Math.max(1, Math.ceil((to - from) / MINUTE_MS));
}

/** Returns pieces of so many buckets. */
function inTime({ window, ids }: Piece, buckets: number): Piece[] {
  const step = buckets * MINUTE_MS;
  const pieces: Piece[] = [];
  for (let { from } = window; from < window.to; from += step) {
    pieces.push({ window: { from, to: Math.min(from + step, window.to) }, ids });
  }
  return pieces;
}

/** Characters that a field takes in an answer with its name, and those that a row takes besides. */
const FIELD_BYTES = 36;
const ROW_BYTES = 80;

/** Returns how many rows are asked for: no more than an answer may have, and than fit into the largest body that is accepted. */
export function rowLimit(fields: number, mostBytes: number): number {
  const fitting = Math.floor((0.9 * mostBytes) / (ROW_BYTES + fields * FIELD_BYTES));
  return Math.max(1, Math.min(MOST_ROWS, fitting));
}
