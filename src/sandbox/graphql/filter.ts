import { isRecord } from '../formats.ts';
import type { Dataset, Value } from './dataset.ts';
import { Moment } from './date-time.ts';

/** Name of the dimension that every dataset has: the start of a bucket (ms since the epoch). */
export const TS = 'ts';

/** Types of dimensions. */
export type ValueType = 'String' | 'Int' | 'DateTime';

/** Condition for a unit to be counted. */
export interface Condition {
  /** Dimensions on which the condition depends. */
  readonly dimensions: readonly string[];
  holds(read: (dimension: string) => Value): boolean;
}

/** Returns a test of values that are not null. Only `IsNull` is true for null. */
type Test = (operand: unknown) => (value: string | number) => boolean;

const like =
  (flags: string): Test =>
  (operand) => {
    const escaped = String(operand).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(`^${escaped.replaceAll('%', '.*').replaceAll('_', '.')}$`, `s${flags}`);
    return (value) => pattern.test(String(value));
  };

const compared =
  (holds: (value: number, operand: number) => boolean): Test =>
  (operand) => {
    const bound = Number(operand);
    return (value) => holds(Number(value), bound);
  };

function among(operand: unknown): (value: string | number) => boolean {
  const members = new Set<unknown>(Array.isArray(operand) ? operand : []);
  return (value) => members.has(value);
}

const OPERATORS = {
  Eq: (operand) => (value) => value === operand,
  Ne: (operand) => (value) => value !== operand,
  Like: like(''),
  Ilike: like('i'),
  In: among,
  NotIn: (operand) => {
    const isMember = among(operand);
    return (value) => !isMember(value);
  },
  Lt: compared((value, operand) => value < operand),
  Lte: compared((value, operand) => value <= operand),
  Gt: compared((value, operand) => value > operand),
  Gte: compared((value, operand) => value >= operand),
  Range: (operand) => {
    const { begin, end } = operand as { begin: unknown; end: unknown };
    return (value) => Number(begin) <= Number(value) && Number(value) <= Number(end);
  },
} satisfies Readonly<Record<string, Test>>;

export type Operator = keyof typeof OPERATORS | 'IsNull';

/** Operators for each type of dimension. */
const OPERATORS_OF: Readonly<Record<ValueType, readonly Operator[]>> = {
  String: ['Eq', 'Ne', 'Like', 'Ilike', 'In', 'NotIn', 'IsNull'],
  Int: ['Eq', 'Ne', 'In', 'NotIn', 'IsNull', 'Lt', 'Lte', 'Gt', 'Gte', 'Range'],
  DateTime: ['Lt', 'Lte', 'Gt', 'Gte', 'Range'],
};

/** A field of a filter. */
interface ConditionField {
  readonly dimension: string;
  readonly type: ValueType;
  readonly operator: Operator;
}

/** Returns the filter fields of a dataset by name: each dimension with each of its operators. */
export function conditionFields({ dimensions }: Dataset): ReadonlyMap<string, ConditionField> {
  const all = { [TS]: { type: 'DateTime' as const }, ...dimensions };
  return new Map(
    Object.entries(all).flatMap(([dimension, { type }]) =>
      OPERATORS_OF[type].map(
        (operator) => [`${dimension}${operator}`, { dimension, type, operator }] as const,
      ),
    ),
  );
}

/** Filter, validated by the schema. */
export type Filter = Readonly<Record<string, unknown>>;

const listed = (value: unknown): readonly Filter[] =>
  (Array.isArray(value) ? value : [value]).filter(isRecord);

/**
 * Returns the conditions of a filter, all of which must be met. An `or` is met if any of its filters is; a single filter in it, if
 * any of its fields is.
 */
export function conditionsOf(filter: Filter, fields: ReturnType<typeof conditionFields>): Condition[] {
  return Object.entries(filter).flatMap(([name, operand]) => {
    if (operand === null || operand === undefined) return [];
    const parts = () => listed(operand).map((part) => conditionsOf(part, fields));
    if (name === 'and') return parts().flat();
    if (name === 'not') return [whole(parts().flat(), (all, read) => !all.every((one) => one.holds(read)))];
    if (name === 'or') {
      const all = parts();
      const any = all.length === 1 ? all.flat() : all.map((conditions) => whole(conditions, everyHolds));
      return [whole(any, (conditions, read) => conditions.some((one) => one.holds(read)))];
    }
    const field = fields.get(name);
    return field === undefined ? [] : [conditionOf(field, operand)];
  });
}

function conditionOf({ dimension, operator }: ConditionField, operand: unknown): Condition {
  const dimensions = [dimension];
  if (operator === 'IsNull')
    return { dimensions, holds: (read) => (read(dimension) === null) === (operand === true) };
  const test = OPERATORS[operator](operand);
  const holds: Condition['holds'] = (read) => {
    const value = read(dimension);
    return value !== null && test(value);
  };
  return { dimensions, holds };
}

type Read = Parameters<Condition['holds']>[0];

const everyHolds = (conditions: readonly Condition[], read: Read) =>
  conditions.every((one) => one.holds(read));

/** Returns one condition for several. */
function whole(
  conditions: readonly Condition[],
  holds: (conditions: readonly Condition[], read: Read) => boolean,
): Condition {
  const dimensions = conditions.flatMap((condition) => condition.dimensions);
  return { dimensions, holds: (read) => holds(conditions, read) };
}

/** Time window of a filter. */
export interface TimeWindow {
  readonly begin: Moment;
  readonly end: Moment;
  /** Operator of the end, which determines if the end is part of the window. */
  readonly until: 'Range' | 'Lt' | 'Lte';
}

/** Returns the time window of the filter's own fields and of its `and`; undefined without one. */
export function windowOf(filter: Filter): TimeWindow | undefined {
  const merged: Filter = Object.assign({}, ...listed(filter['and']).toReversed(), filter);
  const range = isRecord(merged['tsRange']) ? merged['tsRange'] : {};
  const begin = range['begin'] ?? merged['tsGt'] ?? merged['tsGte'];
  const ends = { Range: range['end'], Lt: merged['tsLt'], Lte: merged['tsLte'] };
  const until = (['Range', 'Lt', 'Lte'] as const).find((name) => ends[name] instanceof Moment);
  const end = until && ends[until];
  return begin instanceof Moment && end instanceof Moment
    ? { begin, end, until: until ?? 'Range' }
    : undefined;
}
