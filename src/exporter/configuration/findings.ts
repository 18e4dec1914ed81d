import type { z } from 'zod';
import { didYouMean, suggest } from '../text/suggestion.ts';
import type { ConfigPath, Finding } from './issue.ts';

type Issue = z.core.$ZodIssue;

/** More issues than anybody would read. */
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
 * What zod found, in the words of someone who edits the file, one finding for each mistake; `schema` tells which keys
 * there could have been. It takes issues that hold their input.
 * @param above where in the whole, which `schema` describes, that stands which was checked
 */
export function findings(error: z.ZodError, schema: Schema, above: ConfigPath = []): Finding[] {
  return error.issues.slice(0, MOST_ISSUES).flatMap((issue) => {
    const path = [...above, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code !== 'unrecognized_keys')
      return [{ path, at: 'value' as const, message: explain(issue), ...otherwise(issue) }];
    const known = knownKeys(schema, path);
    return issue.keys.slice(0, MOST_ISSUES).map((key) => unknownKey(path, key, known));
  });
}

function unknownKey(path: ConfigPath, key: string, known: readonly string[]): Finding {
  const hint =
    suggest(key, known) === undefined ? `; expected one of: ${known.join(', ')}` : didYouMean(key, known);
  return { path: [...path, key], at: 'key', message: `unknown key${hint}` };
}

/** The keys that the mapping at `path` may have. */
function knownKeys(root: Schema, path: ConfigPath): string[] {
  let schema = root;
  for (const step of path) {
    const inner = typeof step === 'number' ? schema.items : schema.properties?.[step];
    if (typeof inner !== 'object' || Array.isArray(inner)) return [];
    // What may be null as well is described beside it.
    schema = inner.anyOf?.find((choice) => typeof choice === 'object' && choice.type !== 'null') ?? inner;
  }
  return Object.keys(schema.properties ?? {});
}

/** The message where variables of the environment stand for keys, where there is one. */
function otherwise(issue: Issue): Pick<Finding, 'inEnvironment'> {
  const text: unknown = issue.code === 'custom' ? issue.params?.['inEnvironment'] : undefined;
  return typeof text === 'string' ? { inEnvironment: text } : {};
}

/** zod's own messages repeat what was given, or speak of types; the schema's, and those here, do not. */
const OF_ZOD = /^(Invalid|Too small|Too big)/;

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
      return `expected at most ${issue.maximum}`;
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
