import type { Reply } from '../http/reply.ts';
import type { FaultContext } from './conditions.ts';
import { isRecord, mapItems, mapSeries, withoutItems } from './documents.ts';
import type { EmptyForm, POINT_DAMAGES, SHAPE_QUIRKS } from './faults.ts';
import type { FaultSwitch } from './switch.ts';

/** An answer as bytes; `missing` bytes are promised but never sent. */
export interface SentBody {
  readonly text: string;
  readonly missing: number;
}

type Draw = () => number;

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
  const wrong = faults.strike('wrong_types', context);
  if (wrong) {
    const draw = () => faults.chance('wrong_types', context);
    body = mapSeries(body, (series) => damageSeries(series, wrong, draw, context.now));
  }
  return { ...answer, body };
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
  points: (body) => mapSeries(body, () => []),
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
