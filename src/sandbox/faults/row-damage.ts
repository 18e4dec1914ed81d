import { isRecord } from '../formats.ts';
import type { FaultContext, FaultName, FaultSwitch, Faults, POINT_DAMAGES } from './faults.ts';

/** Access to the counts and time of a kind of row. */
export interface RowForm<Row> {
  timeOf(row: Row): number;
  at(row: Row, time: number): Row;
  /** Returns the row with other values. */
  changed(row: Row, change: (value: number) => unknown): Row;
  inSeconds(row: Row): Row;
  /** Returns the row without a part that every row has. */
  cut(row: Row): Row;
  /** Returns the row without these fields; if undefined, without all counts. */
  lacking?(row: Row, fields: readonly string[] | undefined): Row;
}

/** Tools for changing rows: their form, the time, and the random numbers of the fault. */
interface Tools<Row> {
  readonly form: RowForm<Row>;
  readonly now: number;
  chance(): number;
  /** Returns true with this probability (0 to 1). */
  isHit(share: number): boolean;
}

type RowFault<Name extends FaultName> = <Row>(
  rows: readonly Row[],
  fault: NonNullable<Faults[Name]>,
  tools: Tools<Row>,
) => readonly Row[];

/** Faults of rows, in the order in which they apply. */
const POINT_FAULTS = {
  missing_rows: (rows, { every = Number.POSITIVE_INFINITY, share }, { isHit }) =>
    rows.filter((_, index) => index % every !== every - 1 && !isHit(share)),
  late_restatement: (rows, { minutes, factor }, { form, now }) =>
    rows.map((row) =>
      now - form.timeOf(row) < minutes * 60_000 ? form.changed(row, (value) => times(value, factor)) : row,
    ),
  absurd_values: (rows, { share, value }, { form, isHit }) =>
    rows.map((row) => (isHit(share) ? form.changed(row, () => value) : row)),
  timestamp_jitter: (rows, { ms }, { form, chance }) =>
    rows.map((row) => form.at(row, form.timeOf(row) + ms * (2 * chance() - 1))),
  conflicting_rows: (rows, { share, factor }, { form, isHit }) =>
    rows.flatMap((row) =>
      isHit(share) ? [row, form.changed(row, (value) => times(value, factor) + 1)] : [row],
    ),
  wrong_types: (rows, { kinds, share }, { form, now, chance, isHit }) => {
    const damaged = rows.flatMap((row) => {
      if (!isHit(share)) return [row];
      return KINDS[kinds[Math.floor(chance() * kinds.length)] ?? 'null_value'](row, form, now);
    });
    if (!kinds.includes('out_of_order')) return damaged;
    const at = Math.floor(chance() * damaged.length);
    return [...damaged.slice(at), ...damaged.slice(0, at)];
  },
} satisfies { readonly [Name in FaultName]?: RowFault<Name> };

/** Faults of GraphQL rows: those of all rows, and those of GraphQL alone. */
const ROW_FAULTS = {
  ...POINT_FAULTS,
  repeated_rows: (rows, { share }, { isHit }) => rows.flatMap((row) => (isHit(share) ? [row, row] : [row])),
  number_strings: (rows, { share }, { form, isHit }) =>
    rows.map((row) => (isHit(share) ? form.changed(row, String) : row)),
  missing_fields: (rows, { share, fields }, { form, isHit }) =>
    rows.map((row) => (isHit(share) ? (form.lacking?.(row, fields) ?? row) : row)),
  cut_rows: (rows, { rows: most }) => rows.slice(0, most),
  huge_answer: (rows, { rows: many }) =>
    Array.from(
      { length: rows.length === 0 ? 0 : many },
      (_, index) => rows[index % rows.length] as (typeof rows)[number],
    ),
} satisfies { readonly [Name in FaultName]?: RowFault<Name> };

/** Returns the function that applies the active faults to rows. */
function damageBy<Row>(
  table: { readonly [Name in FaultName]?: RowFault<Name> },
  form: RowForm<Row>,
  faults: FaultSwitch,
  context: FaultContext,
): (rows: readonly Row[]) => readonly Row[] {
  const steps = (Object.keys(table) as FaultName[]).flatMap((name) => {
    const fault = faults.strike(name, context);
    if (fault === undefined) return [];
    const chance = () => faults.chance(name, context);
    const tools = { form, now: context.now, chance, isHit: (share: number) => chance() < share };
    return [(rows: readonly Row[]) => table[name]?.(rows, fault as never, tools) ?? rows];
  });
  return (rows) => steps.reduce((changed, step) => step(changed), rows);
}

/** Returns the function that applies the faults to the points of a series. */
export function pointDamage(faults: FaultSwitch, context: FaultContext) {
  return damageBy(POINT_FAULTS, POINTS, faults, context);
}

/** Returns a value times a factor. A whole number stays whole. */
function times(value: number, factor: number): number {
  return Number.isInteger(value) ? Math.round(value * factor) : value * factor;
}

const KINDS: Record<
  (typeof POINT_DAMAGES)[number],
  <Row>(row: Row, form: RowForm<Row>, now: number) => readonly Row[]
> = {
  string_value: (row, form) => [form.changed(row, String)],
  null_value: (row, form) => [form.changed(row, () => null)],
  nan_text: (row, form) => [form.changed(row, () => 'NaN')],
  object_value: (row, form) => [form.changed(row, (value) => ({ value }))],
  negative_value: (row, form) => [form.changed(row, (value) => -1 - value)],
  not_a_pair: (row, form) => [form.cut(row)],
  seconds_timestamp: (row, form) => [form.inSeconds(row)],
  future_point: (row, form, now) => [row, form.at(row, Math.ceil(now / 60_000) * 60_000 + 3_600_000)],
  duplicate: (row) => [row, row],
  out_of_order: (row) => [row],
};

/** A point of a series, `[time, value]` before it is damaged. */
const POINTS: RowForm<unknown> = {
  timeOf: (point) => (point as [number])[0],
  at: (point, time) => [time, (point as [number, unknown])[1]],
  changed: (point, change) => {
    const [time, value] = point as [number, number];
    return [time, change(value)];
  },
  inSeconds: (point) => {
    const [time, value] = point as [number, unknown];
    return [time / 1000, value];
  },
  cut: (point) => [(point as [number])[0]],
};

/** A row of a GraphQL answer. */
type Row = Readonly<Record<string, unknown>>;

/** Returns the form of GraphQL rows. @param counted fields of a row with counts; the others are its dimensions */
const rowsOf = (counted: ReadonlySet<string>): RowForm<Row> => ({
  timeOf: ({ ts }) => Date.parse(String(ts)),
  at: (row, time) => ({ ...row, ts: new Date(time).toISOString().replace('.000Z', 'Z') }),
  changed: (row, change) =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [
        field,
        counted.has(field) && typeof value === 'number' ? change(value) : value,
      ]),
    ),
  inSeconds: (row) => ({ ...row, ts: Date.parse(String(row['ts'])) / 1000 }),
  cut: ({ ts: _, ...row }) => row,
  lacking: (row, fields = [...counted]) =>
    Object.fromEntries(Object.entries(row).filter(([field]) => !fields.includes(field))),
});

/** Response of the GraphQL API: rows by the dataset's name or alias. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * Returns the response with the faults of its rows.
 * @param counted names of the fields with counts, by the name of a list
 */
export function damageAnswer(
  answer: Answer,
  counted: ReadonlyMap<string, ReadonlySet<string>>,
  faults: FaultSwitch,
  context: FaultContext,
): Answer {
  const damaged = Object.entries(answer.data ?? {}).map(([name, rows]) => {
    const fields = counted.get(name);
    if (fields === undefined || !Array.isArray(rows)) return [name, rows] as const;
    return [name, damageBy(ROW_FAULTS, rowsOf(fields), faults, context)(rows.filter(isRecord))] as const;
  });
  const data = Object.fromEntries(damaged);
  const failed = faults.strike('graphql_errors', context);
  if (failed === undefined) return { data };
  return {
    data: failed.data === 'whole' ? data : null,
    errors: [{ message: 'Sorry unable to perform operation.' }],
  };
}
