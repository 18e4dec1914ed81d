import type { Resource } from '../platform/read.ts';

/** Where questions are sent, and what is known of their limit, of which the platform's documents name no number. */
export const QUESTIONS = {
  /** Below the account's `graphql_url`. */
  path: '/metrics/graphql',
  group: 'graphql',
  /** Operations a minute to begin with. */
  assumedLimit: 20,
} as const;

/** The most that the platform lets select and answer. */
export const MOST_FIELDS = 37;
export const MOST_ROWS = 10_000;

/** A question, ready to be sent. Its variables are what changes from one minute to the next. */
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

/** What is read of a dataset. Times are ms since the epoch. */
export interface DatasetQuestion {
  readonly dataset: string;
  /** The field that tells the rows of one time apart; undefined for the sum of all. */
  readonly key: string | undefined;
  /** Calculated fields by name; or, of a measure, what is summed, which the answer calls `sum`. */
  readonly fields: readonly string[];
  readonly summed: string | undefined;
  readonly window: { readonly from: number; readonly to: number };
  /** Values of `key` that are wanted; undefined for all. */
  readonly ids: readonly string[] | undefined;
  /** How many rows are taken. An answer of as many has been cut. */
  readonly limit: number;
}

/** The rows of a dataset, each of one time and key. */
export function datasetQuestion(asked: DatasetQuestion): Question {
  const { key } = asked;
  return rowsBy(key === undefined ? ['ts'] : ['ts', key], 'orderBy: [ts_ASC]', asked);
}

/** The keys that a dataset has rows of. */
export function keysQuestion(asked: DatasetQuestion & { readonly key: string }): Question {
  return rowsBy([asked.key], undefined, asked);
}

function rowsBy(keys: readonly string[], order: string | undefined, asked: DatasetQuestion): Question {
  const { dataset, key, fields, summed, window, ids, limit } = asked;
  const only = key === undefined || ids === undefined ? '' : `, ${key}In: ${JSON.stringify(ids)}`;
  const parts = [
    `limit: ${limit}`,
    ...(summed === undefined ? [] : [`aggregate: {sum: ${summed}}`]),
    `groupBy: [${keys.join(', ')}]`,
    ...(order === undefined ? [] : [order]),
    `filter: {tsRange: {begin: $begin, end: $end}${only}}`,
  ];
  const selected = [...keys, ...(summed === undefined ? fields : ['sum'])];
  return {
    document: `query ($begin: DateTime!, $end: DateTime!) { ${dataset}(${parts.join(', ')}) { ${selected.join(' ')} } }`,
    variables: { begin: timeText(window.from), end: timeText(window.to) },
  };
}

/** Which fields each dataset of the account has. */
export const SCHEMA_QUESTION: Question = {
  document:
    'query { __schema { queryType { fields { name type { name ofType { name ofType { name ofType { name } } } } } } types { name fields { name } } } }',
  variables: {},
};

function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
