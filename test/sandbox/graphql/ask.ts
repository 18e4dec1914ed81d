import type { Bench, Response } from '../client.ts';

/** Row of a GraphQL answer. */
export type Row = Readonly<Record<string, string | number | null>>;

export const PATH = '/metrics/graphql';

export function ask(
  bench: Bench,
  query: string,
  variables: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return bench.call('POST', PATH, { body: { query, variables }, headers });
}

/**
 * Returns the rows of the only dataset in the query.
 * @throws Error if the status is not 200
 */
export async function rowsOf(bench: Bench, query: string, variables: object = {}): Promise<readonly Row[]> {
  const answer = await ask(bench, query, variables);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  const { data } = answer.json() as { data: Record<string, Row[]> };
  return Object.values(data)[0] ?? [];
}

export interface DatasetQuery {
  readonly dataset?: string;
  readonly groupBy?: readonly string[];
  /** Selected fields in addition to those of `groupBy`. */
  readonly fields?: readonly string[];
  readonly begin: number;
  readonly end: number;
  /** Further conditions as GraphQL text. */
  readonly filter?: string;
  /** Further arguments as GraphQL text. */
  readonly more?: string;
}

/** Returns a GraphQL document that selects the rows of a window. */
export function documentOf(query: DatasetQuery): string {
  const { dataset = 'workloadMetrics', groupBy = ['ts', 'configurationId'], fields = [], more = '' } = query;
  const time = (ms: number) => new Date(ms).toISOString();
  const range = `tsRange: {begin: "${time(query.begin)}", end: "${time(query.end)}"}`;
  const order = groupBy.includes('ts') ? 'orderBy: [ts_ASC]' : '';
  return `query {
    ${dataset}(limit: 10000, groupBy: [${groupBy.join()}], ${order} filter: {${range} ${query.filter ?? ''}} ${more})
    { ${[...groupBy, ...fields].join(' ')} }
  }`;
}
