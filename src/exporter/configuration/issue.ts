import type { z } from 'zod';
import { didYouMean, suggest } from '../text/suggestion.ts';

/** Path in a configuration: keys and list indexes from the top. */
export type ConfigPath = readonly (string | number)[];

/** Mistake in the configuration, or a warning, for its author. It repeats no given value. */
export interface ConfigIssue {
  /** File name as given, or `environment`. */
  readonly source: string;
  /** Line number from 1; absent if the source has no lines. */
  readonly line?: number;
  readonly column?: number;
  /** Path such as `accounts[0].collectors.metrics.schedule`, or a variable's name; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** An issue without its position in the source. */
export interface UnplacedIssue {
  readonly path: ConfigPath;
  /** Affected part at the end of the path. */
  readonly at: 'key' | 'value';
  /** Message with keys of an account in braces: see `withKeys`. */
  readonly message: string;
}

/** Returns `file:line:column: path: message`, without absent parts. */
export function formatIssue(issue: ConfigIssue): string {
  const position = issue.line === undefined ? '' : `:${issue.line}:${issue.column ?? 1}`;
  const path = issue.path === '' ? '' : `${issue.path}: `;
  return `${issue.source}${position}: ${path}${issue.message}`;
}

/** Returns a path in JavaScript's form: dots between plain keys, everything else in brackets. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Returns the issues without repetitions, sorted by position. Sources stay in their order. */
export function inOrder(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const unique = new Map(issues.map((issue) => [formatIssue(issue), issue]));
  const sources = new Map([...new Set(issues.map(({ source }) => source))].map((source, at) => [source, at]));
  const orderOf = ({ source }: ConfigIssue) => sources.get(source) ?? 0;
  return [...unique.values()].sort(
    (a, b) => orderOf(a) - orderOf(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

type Issue = z.core.$ZodIssue;

/** Maximum number of issues that are reported. */
export const MOST_ISSUES = 1_000;

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  map: 'a mapping of keys to values',
  array: 'a list',
};

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * Converts zod's issues to messages for the author of the file, one per mistake. Issues must contain their input.
 * @param schema contains the possible keys
 * @param above position of the checked part in the whole that `schema` describes
 */
export function findings(error: z.ZodError, schema: Schema, above: ConfigPath = []): UnplacedIssue[] {
  return error.issues.slice(0, MOST_ISSUES).flatMap((issue) => {
    const path = [...above, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code !== 'unrecognized_keys') return [{ path, at: 'value' as const, message: explain(issue) }];
    const known = knownKeys(schema, path);
    return issue.keys.slice(0, MOST_ISSUES).map((key) => unknownKey(path, key, known));
  });
}

const RESERVED = 'expected another name: this one is reserved';

function unknownKey(path: ConfigPath, key: string, known: readonly string[]): UnplacedIssue {
  if (key === '__proto__') return { path: [...path, key], at: 'key', message: RESERVED };
  const hint =
    suggest(key, known) === undefined ? `; expected one of: ${known.join(', ')}` : didYouMean(key, known);
  return { path: [...path, key], at: 'key', message: `unknown key${hint}` };
}

function knownKeys(root: Schema, path: ConfigPath): string[] {
  let schema = root;
  for (const step of path) {
    const inner = typeof step === 'number' ? schema.items : schema.properties?.[step];
    if (typeof inner !== 'object' || Array.isArray(inner)) return [];
    // A schema that also allows null has two choices.
    schema = inner.anyOf?.find((choice) => typeof choice === 'object' && choice.type !== 'null') ?? inner;
  }
  return Object.keys(schema.properties ?? {});
}

/** Beginnings of zod's own messages, which repeat given values or contain types. */
const OF_ZOD = /^(Invalid|Too small|Too big)/;

const UNITS_OF: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function explain(issue: Issue): string {
  if (!OF_ZOD.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input);
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      const hint = typeof issue.input === 'string' ? didYouMean(issue.input, allowed) : '';
      return `expected one of: ${allowed.join(', ')}${hint}`;
    }
    case 'too_small':
      return `expected at least ${issue.minimum}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${UNITS_OF[issue.origin] ?? ''}`;
    default:
      return 'is not valid';
  }
}

function wrongType(expected: string, input: unknown): string {
  const words = WORDS[expected] ?? expected;
  if (input === undefined) return 'is required';
  if (input === null) return `expected ${words}, found nothing`;
  const found = Array.isArray(input) ? 'array' : typeof input;
  const cure = expected === 'string' && found !== 'array' && found !== 'object' ? '; put it in quotes' : '';
  return `expected ${words}, found ${WORDS[found] ?? found}${cure}`;
}

/**
 * Checks a value with a schema.
 * @param describe returns the JSON Schema of the whole, which contains the possible keys
 * @param above path of the value in the whole
 */
export function check<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  describe: () => Schema,
  above: ConfigPath = [],
): { readonly data: Value } | { readonly findings: readonly UnplacedIssue[] } {
  try {
    const parsed = schema.safeParse(value, { reportInput: true });
    const found = parsed.success ? [] : findings(parsed.error, describe(), above);
    found.push(...reservedKeys(value, above));
    return parsed.success && found.length === 0 ? { data: parsed.data } : { findings: found };
  } catch (error) {
    // zod spreads its issues into a call, which overflows the stack with some hundred thousand of them.
    if (!(error instanceof RangeError)) throw error;
    return { findings: [{ path: above, at: 'value', message: 'has too many mistakes to list' }] };
  }
}

/** Returns a finding for each key `__proto__`, which zod drops silently from mappings with free keys. */
function reservedKeys(value: unknown, above: ConfigPath): UnplacedIssue[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const path = [...above, Array.isArray(value) ? Number(key) : key];
    if (key === '__proto__') return [{ path, at: 'key' as const, message: RESERVED }];
    return reservedKeys(Reflect.get(value, key), path);
  });
}
