/** What an answer's JSON document holds, wherever it is in it: series of points, or resources. */

export type Fields = Record<string, unknown>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSeries(value: unknown): value is unknown[] {
  return Array.isArray(value) && Array.isArray(value[0]) && typeof value[0][0] === 'number';
}

/** The document with every series in it replaced. */
export function mapSeries(body: unknown, change: (series: unknown[]) => unknown[]): unknown {
  if (isSeries(body)) return change(body);
  if (!isRecord(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, mapSeries(value, change)]));
}

/** The document with every resource changed: in `results`, in a bare array, or the one that is the whole document. */
export function mapItems(body: unknown, change: (item: Fields) => Fields): unknown {
  if (Array.isArray(body)) return body.map((item) => (isRecord(item) ? change(item) : item));
  if (!isRecord(body)) return body;
  if ('results' in body) return { ...body, results: mapItems(body['results'], change) };
  return 'id' in body ? change(body) : body;
}

/** A list in its own envelope without items, or metadata without metrics; anything else stays as it is. */
export function withoutItems(body: unknown): unknown {
  if (Array.isArray(body)) return [];
  if (!isRecord(body)) return body;
  const { results } = body;
  if (results === undefined) return Object.values(body).every(Array.isArray) ? {} : body;
  const empty = { ...body, count: 0, total_pages: 0, links: { previous: null, next: null } };
  if (Array.isArray(results)) return { ...empty, results: [] };
  return isRecord(results) && 'records' in results
    ? { ...empty, results: { ...results, records: [] } }
    : body;
}
