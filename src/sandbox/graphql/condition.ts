import { isRecord } from '../formats.ts';
import type { Value } from './dataset.ts';
import { Moment } from './date-time.ts';

/** The name of the dimension that every dataset has: the start of a bucket (ms since the epoch). */
export const TS = 'ts';

/** What a unit must be like to be counted. */
export interface Condition {
  /** The dimensions it depends on. */
  readonly dimensions: readonly string[];
  holds(read: (dimension: string) => Value): boolean;
}

type Test = (value: Value) => boolean;
type Comparable = string | number;

function compared(holds: (value: Comparable, operand: Comparable) => boolean): (operand: unknown) => Test {
  return (operand) => {
    const given = plain(operand);
    return (value) => value !== null && given !== null && holds(value, given);
  };
}

function matching(flags: string): (operand: unknown) => Test {
  return (operand) => {
    const source = String(operand)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('%', '.*')
      .replaceAll('_', '.');
    const pattern = new RegExp(`^${source}$`, `s${flags}`);
    return (value) => value !== null && pattern.test(String(value));
  };
}

function among(isWanted: boolean): (operand: unknown) => Test {
  return (operand) => {
    const members = new Set(Array.isArray(operand) ? operand.map(plain) : []);
    return (value) => value !== null && members.has(value) === isWanted;
  };
}

/** Operators by suffix. Nothing but `IsNull` holds of what is null. */
export const OPERATORS = {
  Eq: compared((value, operand) => value === operand),
  Ne: compared((value, operand) => value !== operand),
  Like: matching(''),
  Ilike: matching('i'),
  In: among(true),
  NotIn: among(false),
  IsNull: (operand) => (value) => (value === null) === (operand === true),
  Lt: compared((value, operand) => value < operand),
  Lte: compared((value, operand) => value <= operand),
  Gt: compared((value, operand) => value > operand),
  Gte: compared((value, operand) => value >= operand),
  Range: (operand) => {
    const { begin, end } = boundsOf(operand);
    const [low, high] = [plain(begin), plain(end)];
    return (value) => value !== null && low !== null && high !== null && low <= value && value <= high;
  },
} satisfies Readonly<Record<string, (operand: unknown) => Test>>;

export type Operator = keyof typeof OPERATORS;

/** The operators that a dimension of a type has. */
export const OPERATORS_OF: Readonly<Record<'String' | 'Int' | 'DateTime', readonly Operator[]>> = {
  String: ['Eq', 'Ne', 'Like', 'Ilike', 'In', 'NotIn', 'IsNull'],
  Int: ['Eq', 'Ne', 'In', 'NotIn', 'IsNull', 'Lt', 'Lte', 'Gt', 'Gte', 'Range'],
  DateTime: ['Lt', 'Lte', 'Gt', 'Gte', 'Range'],
};

function plain(operand: unknown): Comparable | null {
  if (operand instanceof Moment) return operand.time;
  return typeof operand === 'string' || typeof operand === 'number' ? operand : null;
}

function boundsOf(operand: unknown): { begin?: unknown; end?: unknown } {
  return isRecord(operand) ? operand : {};
}

/** A filter as the schema lets it through. */
export type Filter = Readonly<Record<string, unknown>>;

const listed = (value: unknown): readonly Filter[] =>
  (Array.isArray(value) ? value : [value]).filter(isRecord);

/** A field of a filter: the dimension and its operator. */
function operatorOf(field: string, names: readonly string[]): readonly [string, Operator] | undefined {
  for (const name of names) {
    const suffix = field.startsWith(name) ? field.slice(name.length) : '';
    if (Object.hasOwn(OPERATORS, suffix)) return [name, suffix as Operator];
  }
  return undefined;
}

/**
 * What a filter asks for, each condition for itself: all must hold. One of `or` holds where any of its filters does, or, of a
 * single one, any of its fields.
 * @param names the dimensions that there are
 */
export function conditionsOf(filter: Filter, names: readonly string[]): readonly Condition[] {
  return Object.entries(filter).flatMap(([field, operand]) => {
    if (operand === null || operand === undefined) return [];
    if (field === 'and') return listed(operand).flatMap((part) => conditionsOf(part, names));
    if (field === 'or') {
      const any = alternatives(listed(operand), names);
      return [whole(any, (read) => any.some((one) => one.holds(read)))];
    }
    if (field === 'not') {
      const refused = conditionsOf(listed(operand)[0] ?? {}, names);
      return [whole(refused, (read) => !refused.every((one) => one.holds(read)))];
    }
    const [name, operator] = operatorOf(field, names) ?? [];
    if (name === undefined || operator === undefined) return [];
    const test = OPERATORS[operator](operand);
    return [{ dimensions: [name], holds: (read) => test(read(name)) }];
  });
}

function alternatives(filters: readonly Filter[], names: readonly string[]): readonly Condition[] {
  const [only, ...more] = filters.map((filter) => conditionsOf(filter, names));
  if (only === undefined) return [];
  if (more.length === 0) return only;
  return [only, ...more].map((all) => whole(all, (read) => all.every((one) => one.holds(read))));
}

/** One condition made of several. */
function whole(conditions: readonly Condition[], holds: Condition['holds']): Condition {
  return { dimensions: conditions.flatMap(({ dimensions }) => dimensions), holds };
}

/** The time that a filter asks for. */
export interface TimeWindow {
  readonly begin: Moment;
  readonly end: Moment;
  /** The operator that names the end: whether that is part of the window depends on it. */
  readonly until: 'Range' | 'Lt' | 'Lte';
}

/** The window of the filter's own fields, and of what it holds by `and`; undefined where it has none. */
export function windowOf(filter: Filter): TimeWindow | undefined {
  const own = [filter, ...listed(filter['and'])];
  const named = (field: string) => own.map((part) => part[field]).find((value) => value instanceof Moment);
  const range = own.map((part) => boundsOf(part['tsRange'])).find(({ begin }) => begin !== undefined);
  const begin = range?.begin ?? named('tsGt') ?? named('tsGte');
  const ends = [
    ['Range', range?.end],
    ['Lt', named('tsLt')],
    ['Lte', named('tsLte')],
  ] as const;
  for (const [until, end] of ends) {
    if (begin instanceof Moment && end instanceof Moment) return { begin, end, until };
  }
  return undefined;
}
