import { z } from 'zod';
import { isCronPattern } from '../cron-pattern.ts';
import { DURATION_PATTERN, formatDuration, parseDuration } from '../text/figures.ts';
import { isGlob } from '../text/glob.ts';
import type { ConfigPath } from './issue.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const MEBIBYTE = 2 ** 20;

/** Fails a transformation: zod reports `message` at the value's path. */
export function refuse(context: z.RefinementCtx, message: string): never {
  addMistake(context, [], message);
  return z.NEVER;
}

/** Reports a mistake at `path`. The message has keys of an account in braces, for `withKeys`. */
export function addMistake(context: z.RefinementCtx, path: ConfigPath, message: string): void {
  context.addIssue({ code: 'custom', path: [...path], message });
}

/** Returns true for a mapping, whose rules are checked even if its parts have mistakes. */
export function isMapping({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum length of names and patterns, each of which is compared with many others. */
export const LONGEST_PATTERN = 4_096;

/** Maximum length of lists, except lists of configurations and accounts. */
export const MOST_ENTRIES = 1_000;
export const MOST_NAMES = 10_000;

/** Returns the schema of a text that is not only white space. */
export function text(): z.ZodString {
  return z.string().regex(/\S/, 'must not be empty');
}

/** Returns the schema of a name or pattern of a selection. */
export function patternText(): z.ZodString {
  return text().max(LONGEST_PATTERN);
}

/** Returns the schema of a text for lines of logs and reports. */
export function nameText(): z.ZodString {
  return text().refine((given) => !/\p{Cc}/u.test(given), 'must not contain line ends or control characters');
}

/** Returns the schema of a whole number. `z.int()` would skip the checks of the mapping around it. */
export function integer(): z.ZodNumber {
  return z.number().refine(Number.isInteger, 'expected a whole number').meta({ type: 'integer' });
}

export interface Bounds {
  /** Milliseconds. */
  readonly min: number;
  readonly max: number;
}

const EXPECTED_DURATION = 'expected a duration such as "90s", "2m" or "1h30m"';

/** Returns the schema of a duration in Prometheus' form, within bounds; converts it to milliseconds. */
export function duration(bounds: Bounds) {
  return z
    .string({ error: EXPECTED_DURATION })
    .meta({ pattern: DURATION_PATTERN.source, minLength: 1 })
    .transform((given, context) => milliseconds(given, bounds, EXPECTED_DURATION, context));
}

/** Returns the schema of a duration, or `auto` for a learned one. */
export function durationOrAuto(bounds: Bounds) {
  const expected = `${EXPECTED_DURATION}, or "auto"`;
  return z
    .string({ error: expected })
    .meta({ pattern: `^auto$|${DURATION_PATTERN.source}`, minLength: 1 })
    .transform((given, context): number | 'auto' =>
      given === 'auto' ? 'auto' : milliseconds(given, bounds, expected, context),
    );
}

function milliseconds(
  given: string,
  { min, max }: Bounds,
  expected: string,
  context: z.RefinementCtx,
): number {
  const ms = parseDuration(given);
  if (ms === undefined) return refuse(context, expected);
  if (ms >= min && ms <= max) return ms;
  return refuse(context, `expected a duration between ${formatDuration(min)} and ${formatDuration(max)}`);
}

/** Message for a value in quotes, as Docker passes it on from an env file. */
export const QUOTED =
  'is in quotes, which belong to the value: an env file of Docker needs none, so leave them out';

/** Returns true if a text begins and ends with the same quote. */
export function isQuoted(text: string): boolean {
  return /^(["']).*\1$/s.test(text.trim());
}

const EXPECTED_CRON = 'expected a cron expression such as "*/5 * * * *"';

const CRON_FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'];

/** Returns the mistake of a cron expression (5 fields, or 6 with seconds first) with its invalid fields; undefined if none. */
function cronMistake(expression: string): string | undefined {
  if (isCronPattern(expression)) return undefined;
  const given = expression.trim().split(/\s+/);
  if (given.length !== 5 && given.length !== 6) return EXPECTED_CRON;
  const wrong = CRON_FIELDS.slice(-given.length).filter(
    (_, index) => !isCronPattern(given.map((field, other) => (other === index ? field : '*')).join(' ')),
  );
  if (wrong.length === 0) return `${EXPECTED_CRON}; no time ever matches this one`;
  return `${EXPECTED_CRON}; the ${wrong.join(' and the ')} is not valid`;
}

/** Returns the schema of a poll schedule. It has five fields without seconds, because polls wait for a bucket to close. */
export function schedule() {
  return z
    .string({ error: EXPECTED_CRON })
    .superRefine((expression, context) => {
      const mistake = cronMistake(expression);
      if (mistake !== undefined) addMistake(context, [], mistake);
    })
    .overwrite((expression) => expression.trim().split(/\s+/).slice(-5).join(' '));
}

/** Returns the schema of a configuration's name (with globs) or id. Converts a number to text. */
export function nameOrId() {
  return z
    .union([z.string().max(LONGEST_PATTERN), integer().min(0)], {
      error: 'expected a name, a pattern such as "shop-*", or an id',
    })
    .transform((given, context) => {
      const pattern = String(given);
      if (pattern.trim() === '') return refuse(context, 'must not be empty');
      return isGlob(pattern) ? pattern : refuse(context, 'the brackets of the pattern are not balanced');
    });
}

/** Returns the schema of a list without repeated items. */
export function listOf<Item extends z.ZodType>(item: Item, most = MOST_ENTRIES) {
  return z
    .array(item)
    .max(most)
    .superRefine((items, context) => {
      const seen = new Set<unknown>();
      for (const [index, value] of items.entries()) {
        if (seen.has(value)) addMistake(context, [index], 'is already in the list');
        seen.add(value);
      }
    });
}
