import { validateDetailed } from 'node-cron';
import picomatch from 'picomatch';
import { z } from 'zod';
import { DURATION_PATTERN, formatDuration, parseDuration } from './duration.ts';

/** What a transformation returns that fails: zod reports `message` at the value's path. */
export function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** Text with at least one character that is not white space. */
export function text(): z.ZodString {
  return z.string().regex(/\S/, 'must not be empty');
}

/** A whole number. (`z.int()` would keep the checks of the mapping around it from running.) */
export function integer(): z.ZodNumber {
  return z.number().refine(Number.isInteger, 'expected a whole number').meta({ type: 'integer' });
}

export interface Bounds {
  /** Milliseconds. */
  readonly min: number;
  /** Milliseconds. */
  readonly max: number;
}

interface Measure extends Bounds {
  readonly expected: string;
}

const EXPECTED_DURATION = 'expected a duration such as "90s", "2m" or "1h30m"';

function milliseconds(given: string, { min, max, expected }: Measure, context: z.RefinementCtx): number {
  const ms = parseDuration(given);
  if (ms === undefined) return refuse(context, expected);
  if (ms >= min && ms <= max) return ms;
  return refuse(context, `expected a duration between ${formatDuration(min)} and ${formatDuration(max)}`);
}

/** A duration in Prometheus' form, within bounds; becomes milliseconds. */
export function duration(bounds: Bounds) {
  const measure = { ...bounds, expected: EXPECTED_DURATION };
  return z
    .string({ error: measure.expected })
    .meta({ pattern: DURATION_PATTERN.source })
    .transform((given, context) => milliseconds(given, measure, context));
}

/** A duration, or `auto` for one that is learned from what the platform does. */
export function durationOrAuto(bounds: Bounds) {
  const measure = { ...bounds, expected: `${EXPECTED_DURATION}, or "auto"` };
  return z
    .string({ error: measure.expected })
    .meta({ pattern: `^auto$|${DURATION_PATTERN.source}` })
    .transform((given, context): number | 'auto' =>
      given === 'auto' ? 'auto' : milliseconds(given, measure, context),
    );
}

const EXPECTED_CRON = 'expected a cron expression such as "*/5 * * * *"';

/** What is wrong with a cron expression in node-cron's form (5 fields, or 6 with seconds first), if anything. */
function cronMistake(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  if (valid) return undefined;
  const fields = errors.map(({ field }) => field).filter((field) => field !== 'expression');
  const named = fields.map((field) => field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  return named.length === 0 ? EXPECTED_CRON : `${EXPECTED_CRON}; the ${named.join(' and the ')} is not valid`;
}

/** When something happens, as a cron expression. */
export function schedule() {
  return z.string({ error: EXPECTED_CRON }).superRefine((expression, context) => {
    const mistake = cronMistake(expression);
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
  });
}

function isGlob(pattern: string): boolean {
  try {
    picomatch.makeRe(pattern, { strictBrackets: true });
    return true;
  } catch {
    // picomatch has no other way of saying that a pattern is malformed.
    return false;
  }
}

/** A configuration's name (with globs) or its id, which may be written as a number; becomes text. */
export function nameOrId() {
  return z
    .union([z.string(), integer().min(0)], { error: 'expected a name, a pattern such as "shop-*", or an id' })
    .transform((given, context) => {
      const pattern = String(given);
      if (pattern.trim() === '') return refuse(context, 'must not be empty');
      return isGlob(pattern) ? pattern : refuse(context, 'the brackets of the pattern are not balanced');
    });
}

/** A list in which nothing occurs twice. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).superRefine((items, context) => {
    for (const [index, value] of items.entries()) {
      if (items.indexOf(value) === index) continue;
      context.addIssue({ code: 'custom', path: [index], message: 'is in the list already' });
    }
  });
}
