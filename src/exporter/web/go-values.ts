import { z } from 'zod';
import type { YamlDialect } from '../configuration/document.ts';
import { refuse } from '../configuration/field-types.ts';

/**
 * A scalar as the file has it; its field decides what it means: `no` is false in a boolean field, and text in a text
 * field. What the file quotes can only be text and keeps a quote in front, which no unquoted scalar begins with.
 */
type GoScalar = string;
const QUOTE = '"';

function textOf(scalar: GoScalar): string {
  return scalar.startsWith(QUOTE) ? scalar.slice(1) : scalar;
}

/** The scalars that Go's yaml.v2 reads as null, which is the zero value of whatever type is expected. */
const NOTHING = ['', '~', 'null', 'Null', 'NULL'];

/** YAML as Go's yaml.v2 reads it, in which exporter-toolkit's files are written: its first document alone, of YAML 1.1. */
export const GO_YAML: YamlDialect = {
  schema: 'failsafe',
  allowed: ['MULTIPLE_DOCS'],
  scalar(scalar) {
    if (scalar.type !== 'PLAIN') scalar.value = `${QUOTE}${scalar.value}`;
    else if (NOTHING.includes(String(scalar.value))) scalar.value = null;
    return [];
  },
  whole({ directives }) {
    const { explicit, version } = directives?.yaml ?? {};
    return explicit === true && version !== '1.1' ? ['expected YAML 1.1'] : [];
  },
};

/** A field of one of Go's types: where the file gives nothing, it has the type's zero value. */
function field<Value>(expected: string, zero: Value, read: (scalar: GoScalar) => Value | undefined) {
  return z.unknown().transform((given, context): Value => {
    if (given === null || given === undefined) return zero;
    const value = typeof given === 'string' ? read(given) : undefined;
    return value === undefined ? refuse(context, expected) : value;
  });
}

/** Go's `string`: numbers and booleans are text as well, just as the file has them. */
export function goText() {
  return field('expected text', '', textOf);
}

/** One of the names in a table, read as the value that the table gives it; `zero` where the file gives nothing. */
export function goName<Value>(table: Readonly<Record<string, Value>>, zero: Value) {
  const names = Object.keys(table).filter((name) => name !== '');
  return field(`expected one of: ${names.join(', ')}`, zero, (scalar) => {
    const name = textOf(scalar);
    return Object.hasOwn(table, name) ? table[name] : undefined;
  });
}

const TRUTHS: Readonly<Record<string, boolean>> = Object.fromEntries(
  [
    ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true]),
    ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false]),
  ].flat(),
);

/** Go's `bool`, with the words of YAML 1.1. */
export function goBoolean() {
  return field('expected true or false', false, (scalar) => TRUTHS[scalar]);
}

/** Go's `int`: a fraction is cut off. */
export function goInteger() {
  return field('expected a whole number', 0, wholeNumber);
}

/** Go's `time.Duration` in milliseconds, such as `1m30s` or `1.5s`; a bare number counts nanoseconds. */
export function goDuration() {
  return field('expected a duration such as "1s", "1.5s" or "1m30s"', 0, (scalar) => {
    const nanoseconds = wholeNumber(scalar) ?? durationOf(textOf(scalar));
    return nanoseconds === undefined ? undefined : nanoseconds / 1e6;
  });
}

const BASED = /^([-+]?)0(x[\da-f]+|o?[0-7]+|b[01]+)$/i;
const DECIMAL = /^[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?$/i;
const LARGEST = 2 ** 63;

/** A plain number of yaml.v2, without its fraction; `010` is octal, and `1_000` a thousand. */
function wholeNumber(scalar: GoScalar): number | undefined {
  const digits = scalar.replaceAll('_', '');
  const [, sign, based] = BASED.exec(digits) ?? [];
  const octal = based !== undefined && /^[0-7]/.test(based) ? `o${based}` : based;
  if (octal === undefined && !DECIMAL.test(digits)) return undefined;
  const value = octal === undefined ? Number(digits) : Number(`0${octal}`) * (sign === '-' ? -1 : 1);
  return Math.abs(value) < LARGEST ? Math.trunc(value) : undefined;
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3_600e9,
};
const PART = '(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)';
const DURATION = new RegExp(`^[-+]?(${PART})+$`);

/** Go's `time.ParseDuration`, in nanoseconds. */
function durationOf(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ''] of text.matchAll(new RegExp(PART, 'g'))) {
    sum += Number(amount) * (NANOSECONDS[unit] ?? Number.NaN);
  }
  return sum < LARGEST ? sum * (text.startsWith('-') ? -1 : 1) : undefined;
}
