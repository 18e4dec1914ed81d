import { isRecord } from '../formats.ts';
import type { FaultContext, FaultName, FaultSwitch, POINT_DAMAGES } from './faults.ts';

/** How rows of a kind hold what was counted, and when. */
export interface RowForm<Row> {
  timeOf(row: Row): number;
  at(row: Row, time: number): Row;
  /** With other values. */
  changed(row: Row, change: (value: number) => unknown): Row;
  inSeconds(row: Row): Row;
  /** Without a part that every row has. */
  cut(row: Row): Row;
}

/** What the faults do to the rows of an answer; undefined where none does anything. */
export function rowDamage<Row>(
  form: RowForm<Row>,
  faults: FaultSwitch,
  context: FaultContext,
): ((rows: readonly Row[]) => readonly Row[]) | undefined {
  const missing = faults.strike('missing_rows', context);
  const late = faults.strike('late_restatement', context);
  const absurd = faults.strike('absurd_values', context);
  const jitter = faults.strike('timestamp_jitter', context);
  const conflicting = faults.strike('conflicting_rows', context);
  const wrong = faults.strike('wrong_types', context);
  if (!(missing || late || absurd || jitter || conflicting || wrong)) return undefined;
  const isHit = (name: FaultName, share: number) => faults.chance(name, context) < share;
  const isLeft = (_: Row, index: number) => {
    if (missing === undefined) return true;
    const { every = Number.POSITIVE_INFINITY, share } = missing;
    return index % every !== every - 1 && !isHit('missing_rows', share);
  };
  const restated = (row: Row): Row => {
    const isYoung = late !== undefined && context.now - form.timeOf(row) < late.minutes * 60_000;
    const early = isYoung ? form.changed(row, (value) => times(value, late.factor)) : row;
    const isAbsurd = absurd !== undefined && isHit('absurd_values', absurd.share);
    const valued = isAbsurd ? form.changed(early, () => absurd.value) : early;
    if (jitter === undefined) return valued;
    const offset = jitter.ms * (2 * faults.chance('timestamp_jitter', context) - 1);
    return form.at(valued, form.timeOf(row) + offset);
  };
  const contradicted = (row: Row): readonly Row[] => {
    if (conflicting === undefined || !isHit('conflicting_rows', conflicting.share)) return [row];
    return [row, form.changed(row, (value) => times(value, conflicting.factor) + 1)];
  };
  const draw = () => faults.chance('wrong_types', context);
  return (rows) => {
    const changed = rows.filter(isLeft).map(restated).flatMap(contradicted);
    if (wrong === undefined) return changed;
    const { kinds, share } = wrong;
    const damaged = changed.flatMap((row) => {
      if (draw() >= share) return [row];
      const kind = kinds[Math.floor(draw() * kinds.length)] ?? 'null_value';
      return KINDS[kind](row, form, context.now);
    });
    if (!kinds.includes('out_of_order')) return damaged;
    const at = Math.floor(draw() * damaged.length);
    return [...damaged.slice(at), ...damaged.slice(0, at)];
  };
}

/** A count stays a count. */
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
export const POINTS: RowForm<unknown> = {
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

/** Which fields of a row hold what was counted; the others are what it is broken down by. */
type Counted = ReadonlySet<string>;

const rowsOf = (counted: Counted): RowForm<Row> => ({
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
});

/** An answer of the GraphQL API: rows by the name of the dataset, or of its alias. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * The answer with what the faults change about its rows.
 * @param counted of each list of rows, by its name in the answer
 */
export function damageAnswer(
  answer: Answer,
  counted: ReadonlyMap<string, Counted>,
  faults: FaultSwitch,
  context: FaultContext,
): Answer {
  const damaged = Object.entries(answer.data ?? {}).map(([name, rows]) => {
    const fields = counted.get(name);
    const isRows = fields !== undefined && Array.isArray(rows);
    return [name, isRows ? damageRows(rows.filter(isRecord), fields, faults, context) : rows] as const;
  });
  const data = Object.fromEntries(damaged);
  const failed = faults.strike('graphql_errors', context);
  if (failed === undefined) return { data };
  return {
    data: failed.data === 'whole' ? data : null,
    errors: [{ message: 'Sorry unable to perform operation.' }],
  };
}

function damageRows(
  whole: readonly Row[],
  counted: Counted,
  faults: FaultSwitch,
  context: FaultContext,
): readonly Row[] {
  const isHit = (name: FaultName, share: number) => faults.chance(name, context) < share;
  const form = rowsOf(counted);
  let rows = rowDamage(form, faults, context)?.(whole) ?? whole;
  const repeated = faults.strike('repeated_rows', context);
  if (repeated) rows = rows.flatMap((row) => (isHit('repeated_rows', repeated.share) ? [row, row] : [row]));
  const strings = faults.strike('number_strings', context);
  if (strings)
    rows = rows.map((row) => (isHit('number_strings', strings.share) ? form.changed(row, String) : row));
  const lacking = faults.strike('missing_fields', context);
  if (lacking) {
    const lost = new Set(lacking.fields ?? counted);
    const kept = (row: Row) => Object.fromEntries(Object.entries(row).filter(([field]) => !lost.has(field)));
    rows = rows.map((row) => (isHit('missing_fields', lacking.share) ? kept(row) : row));
  }
  const cut = faults.strike('cut_rows', context);
  if (cut) rows = rows.slice(0, cut.rows);
  const huge = faults.strike('huge_answer', context);
  if (huge === undefined || rows.length === 0) return rows;
  const before = rows;
  return Array.from({ length: huge.rows }, (_, index) => before[index % before.length] ?? {});
}
