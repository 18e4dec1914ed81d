import type { Reply } from '../http/reply.ts';
import type { EmptyForm, FaultContext, FaultName, POINT_DAMAGES, SHAPE_QUIRKS } from './faults.ts';
import type { FaultSwitch } from './switch.ts';

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

/** A GraphQL answer without rows; anything else stays as it is. */
function withoutRows(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body['data'])) return body;
  const emptied = Object.entries(body['data']).map(([name, rows]) => [name, Array.isArray(rows) ? [] : rows]);
  return { ...body, data: Object.fromEntries(emptied) };
}

/** An answer as bytes; `missing` bytes are promised but never sent. */
export interface SentBody {
  readonly text: string;
  readonly missing: number;
}

type Draw = () => number;

type Point = [start: number, value: number];

/** The successful answer with what the faults change about its document. */
export function damageDocument(reply: Reply, faults: FaultSwitch, context: FaultContext): Reply {
  if (reply.status >= 300) return reply;
  const empty = faults.strike('empty_answer', context);
  const answer = empty ? emptied(reply, empty.form, empty.keep) : reply;
  if (answer.body === undefined) return answer;
  let body: unknown = answer.body;
  const quirks = faults.strike('quirks', context);
  if (quirks) body = quirks.kinds.reduce((document: unknown, kind) => QUIRKS[kind](document), body);
  const missing = faults.strike('missing_rows', context);
  if (missing) {
    const { every = Number.POSITIVE_INFINITY, share } = missing;
    const isLost = (index: number) =>
      index % every === every - 1 || faults.chance('missing_rows', context) < share;
    body = mapSeries(body, (series) => series.filter((_, index) => !isLost(index)));
  }
  body = changedPoints(body, faults, context);
  const wrong = faults.strike('wrong_types', context);
  if (wrong) {
    const draw = () => faults.chance('wrong_types', context);
    body = mapSeries(body, (series) => damageSeries(series, wrong, draw, context.now));
  }
  return { ...answer, body };
}

/** The document with values and timestamps that are numbers all right, but not the true ones. */
function changedPoints(body: unknown, faults: FaultSwitch, context: FaultContext): unknown {
  const late = faults.lasting('late_restatement', context);
  const absurd = faults.strike('absurd_values', context);
  const conflicting = faults.strike('conflicting_rows', context);
  const jitter = faults.strike('timestamp_jitter', context);
  if (!(late || absurd || conflicting || jitter)) return body;
  const isHit = (name: FaultName, share: number) => faults.chance(name, context) < share;
  const change = ([start, truth]: Point): Point[] => {
    const isYoung = late !== undefined && context.now - start < late.minutes * 60_000;
    const early = isYoung ? times(truth, late.factor) : truth;
    const value = absurd && isHit('absurd_values', absurd.share) ? absurd.value : early;
    const offset = jitter ? jitter.ms * (2 * faults.chance('timestamp_jitter', context) - 1) : 0;
    const point: Point = [start + offset, value];
    const isTwice = conflicting !== undefined && isHit('conflicting_rows', conflicting.share);
    return isTwice ? [point, [start + offset, times(value, conflicting.factor) + 1]] : [point];
  };
  return mapSeries(body, (series) => series.flatMap((point) => change(point as Point)));
}

/** A count stays a count. */
export function times(value: number, factor: number): number {
  return Number.isInteger(value) ? Math.round(value * factor) : value * factor;
}

/** The answer's text with what the faults do to it on its way. */
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

function damageSeries(
  series: unknown[],
  { kinds, share }: { kinds: readonly (typeof POINT_DAMAGES)[number][]; share: number },
  draw: Draw,
  now: number,
): unknown[] {
  const damaged = series.flatMap((point) => {
    if (draw() >= share) return [point];
    const kind = kinds[Math.floor(draw() * kinds.length)] ?? 'null_value';
    const [timestamp, value] = point as [number, number];
    return POINTS[kind](timestamp, value, now);
  });
  if (!kinds.includes('out_of_order')) return damaged;
  const at = Math.floor(draw() * damaged.length);
  return [...damaged.slice(at), ...damaged.slice(0, at)];
}

const POINTS: Record<
  (typeof POINT_DAMAGES)[number],
  (time: number, value: number, now: number) => unknown[]
> = {
  string_value: (time, value) => [[time, String(value)]],
  null_value: (time) => [[time, null]],
  nan_text: (time) => [[time, 'NaN']],
  object_value: (time, value) => [[time, { value }]],
  negative_value: (time, value) => [[time, -1 - value]],
  not_a_pair: (time) => [[time]],
  seconds_timestamp: (time, value) => [[time / 1000, value]],
  future_point: (time, value, now) => [
    [time, value],
    [Math.ceil(now / 60_000) * 60_000 + 3_600_000, value],
  ],
  duplicate: (time, value) => [
    [time, value],
    [time, value],
  ],
  out_of_order: (time, value) => [[time, value]],
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
