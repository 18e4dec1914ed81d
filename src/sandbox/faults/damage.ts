import { isRecord } from '../formats.ts';
import type { Reply } from '../http/reply.ts';
import type { EmptyForm, FaultContext, FaultSwitch, SHAPE_QUIRKS } from './faults.ts';
import { pointDamage } from './row-damage.ts';

/** Content of an answer's JSON document, at any depth: series of points, or resources. */

type Fields = Record<string, unknown>;

function isSeries(value: unknown): value is unknown[] {
  return Array.isArray(value) && Array.isArray(value[0]) && typeof value[0][0] === 'number';
}

/** Returns the document with every series in it replaced. */
function mapSeries(body: unknown, change: (series: readonly unknown[]) => readonly unknown[]): unknown {
  if (isSeries(body)) return change(body);
  if (!isRecord(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, mapSeries(value, change)]));
}

/** Returns the document with every resource changed: in `results`, in a bare array, or as the whole document. */
function mapItems(body: unknown, change: (item: Fields) => Fields): unknown {
  if (Array.isArray(body)) return body.map((item) => (isRecord(item) ? change(item) : item));
  if (!isRecord(body)) return body;
  if ('results' in body) return { ...body, results: mapItems(body['results'], change) };
  return 'id' in body ? change(body) : body;
}

/** Returns a list envelope without items, or metadata without metrics; other documents unchanged. */
function withoutItems(body: unknown): unknown {
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

/** Returns a GraphQL response without rows; other documents unchanged. */
function withoutRows(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body['data'])) return body;
  const emptied = Object.entries(body['data']).map(([name, rows]) => [name, Array.isArray(rows) ? [] : rows]);
  return { ...body, data: Object.fromEntries(emptied) };
}

/** A response as bytes. `missing` bytes are announced but never sent. */
interface SentBody {
  readonly text: string;
  readonly missing: number;
}

/** Returns the successful response with its document changed by the faults. */
export function damageDocument(reply: Reply, faults: FaultSwitch, context: FaultContext): Reply {
  if (reply.status >= 300) return reply;
  const empty = faults.strike('empty_answer', context);
  const answer = empty ? emptied(reply, empty.form, empty.keep) : reply;
  if (answer.body === undefined) return answer;
  let body: unknown = answer.body;
  const quirks = faults.strike('quirks', context);
  if (quirks) body = quirks.kinds.reduce((document: unknown, kind) => QUIRKS[kind](document), body);
  return { ...answer, body: mapSeries(body, pointDamage(faults, context)) };
}

/** Returns the response's text with the faults of the transfer. */
export function damageText(text: string, faults: FaultSwitch, context: FaultContext): SentBody {
  if (faults.strike('malformed_body', context)) return { text: `${text.slice(0, -1)},,]`, missing: 0 };
  const truncated = faults.strike('truncated_body', context);
  if (truncated === undefined || text === '') return { text, missing: 0 };
  const half = text.slice(0, Math.floor(text.length / 2));
  const missing = Buffer.byteLength(text) - Buffer.byteLength(half);
  return { text: half, missing: truncated.cut === 'connection' ? missing : 0 };
}

function emptied(reply: Reply, form: EmptyForm, keep: number): Reply {
  if (form === 'body') return { ...reply, body: undefined, text: '' };
  if (form === 'list' && Array.isArray(reply.body)) return { ...reply, body: reply.body.slice(0, keep) };
  if (reply.body !== undefined) return { ...reply, body: EMPTY[form](reply.body) };
  return form === 'list' ? { ...reply, text: '' } : reply;
}

const EMPTY: Record<Exclude<EmptyForm, 'body'>, (body: unknown) => unknown> = {
  object: () => ({}),
  null: () => null,
  points: (body) => withoutRows(mapSeries(body, () => [])),
  list: withoutItems,
};

const QUIRKS: Record<(typeof SHAPE_QUIRKS)[number], (body: unknown) => unknown> = {
  extra_fields: (body) => mapItems(body, (item) => ({ ...item, added_later: { by: 'the platform' } })),
  ids_as_strings: (body) =>
    mapItems(body, (item) => ('id' in item ? { ...item, id: String(item['id']) } : item)),
  null_results: (body) =>
    isRecord(body) && Array.isArray(body['results']) && body['results'].length === 0
      ? { ...body, results: null, total_pages: 0 }
      : body,
  single_object: (body) =>
    isRecord(body) && Array.isArray(body['results']) && body['results'].length === 1
      ? { ...body, results: body['results'][0] }
      : body,
};
