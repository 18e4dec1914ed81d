import type { z } from 'zod';
import { isRecord } from '../formats.ts';
import { detail, fieldErrors, type Reply } from './reply.ts';

/**
 * Calls the handler of a create or an overwrite with the parsed body, or returns a 400. Missing fields get the schema's defaults;
 * unknown ones are ignored.
 */
export function withBody<Fields>(
  schema: z.ZodType<Fields>,
  body: unknown,
  answer: (fields: Fields) => Reply,
): Reply {
  if (!isRecord(body)) return detail(400, 'A JSON object is required.');
  const parsed = schema.safeParse(body);
  return parsed.success ? answer(parsed.data) : fieldErrors(problemsOf(parsed.error, body));
}

/** Calls the handler of a partial update with the fields of the request, or returns a 400. */
export function withPatch<Fields extends object>(
  schema: z.ZodObject & z.ZodType<Fields>,
  body: unknown,
  answer: (fields: Partial<Fields>) => Reply,
): Reply {
  return withBody(schema.partial(), body, (fields) => {
    const sent = Object.entries(fields).filter(([field]) => Object.hasOwn(body as object, field));
    return answer(Object.fromEntries(sent) as Partial<Fields>);
  });
}

function problemsOf(error: z.ZodError, body: Record<string, unknown>): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? 'non_field_errors');
    const missing = issue.path.length === 1 && !Object.hasOwn(body, field);
    const blank = issue.code === 'too_small' && body[field] === '';
    const text = missing ? 'This field is required.' : blank ? 'This field may not be blank' : issue.message;
    problems[field] = [...(problems[field] ?? []), text];
  }
  return problems;
}

/** Window of an analytics or metrics request, in ms since the epoch. */
export interface QueryWindow {
  readonly from: number;
  readonly to: number;
}

/** Invalid parameter, and its mistake. */
export interface QueryProblem {
  readonly parameter: 'date_from' | 'date_to';
  readonly problem: string;
}

const HOUR = 3_600_000;
const DURATIONS: Readonly<Record<string, number>> = {
  'last-hour': HOUR,
  'last-3-hours': 3 * HOUR,
  'last-6-hours': 6 * HOUR,
  'last-24-hours': 24 * HOUR,
  'last-3-days': 72 * HOUR,
  'last-7-days': 168 * HOUR,
  'last-15-days': 360 * HOUR,
  'last-30-days': 720 * HOUR,
};
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z?)$/;

/**
 * Parses `date_from` and `date_to` (specification 4.12).
 * @param utcOffset account's local time minus UTC (ms), because timestamps without `Z` are local
 * @returns the window, or the mistake of a parameter
 */
export function queryWindow(
  { date_from: from, date_to: to }: { date_from?: string | undefined; date_to?: string | undefined },
  now: number,
  utcOffset: number,
): QueryWindow | QueryProblem {
  if (from === undefined || from === '')
    return { parameter: 'date_from', problem: 'This field is required.' };
  const duration = Object.hasOwn(DURATIONS, from) ? DURATIONS[from] : undefined;
  if (duration !== undefined) {
    return to === undefined
      ? { from: now - duration, to: now }
      : { parameter: 'date_to', problem: 'Leave it out when date_from is a duration.' };
  }
  const start = timestamp(from, utcOffset);
  const end = to === undefined || to === 'now' ? now : timestamp(to, utcOffset);
  if (start === undefined)
    return { parameter: 'date_from', problem: `Neither a date nor a duration: ${from}` };
  if (end === undefined) return { parameter: 'date_to', problem: `Neither a date nor now: ${to}` };
  if (end < start) return { parameter: 'date_to', problem: 'It is before date_from.' };
  return { from: start, to: end };
}

function timestamp(text: string, utcOffset: number): number | undefined {
  const [, minute, zone] = TIMESTAMP.exec(text) ?? [];
  if (minute === undefined) return undefined;
  const utc = Date.parse(`${minute}Z`);
  // Date.parse converts 2026-02-30 to the second of March.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(minute)) return undefined;
  return zone === 'Z' ? utc : utc - utcOffset;
}
