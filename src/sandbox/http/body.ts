import type { z } from 'zod';
import { detail, fieldErrors, type Reply } from './reply.ts';

/** What a body says, or the 400 that answers it. */
export type Parsed<Fields> = { readonly fields: Fields } | { readonly refusal: Reply };

type Schema<Fields> = z.ZodType<Fields>;

/** Reads the body of a create or an overwrite: fields left out take the schema's defaults, unknown ones are ignored. */
export function parseBody<Fields>(schema: Schema<Fields>, body: unknown): Parsed<Fields> {
  if (!isObject(body)) return { refusal: detail(400, 'A JSON object is required.') };
  const parsed = schema.safeParse(body);
  return parsed.success ? { fields: parsed.data } : { refusal: fieldErrors(problemsOf(parsed.error, body)) };
}

/** Reads the body of a partial update: only the fields that were sent. */
export function parsePatch<Fields extends object>(
  schema: z.ZodObject & Schema<Fields>,
  body: unknown,
): Parsed<Partial<Fields>> {
  if (!isObject(body)) return { refusal: detail(400, 'A JSON object is required.') };
  const parsed = schema.partial().safeParse(body);
  if (!parsed.success) return { refusal: fieldErrors(problemsOf(parsed.error, body)) };
  const sent = Object.entries(parsed.data).filter(([field]) => Object.hasOwn(body, field));
  return { fields: Object.fromEntries(sent) as Partial<Fields> };
}

function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
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
