import { isRecord, times } from './damage.ts';
import type { FaultContext, FaultName, Faults, POINT_DAMAGES } from './faults.ts';
import type { FaultSwitch } from './switch.ts';

/** A row of a GraphQL answer. */
type Row = Readonly<Record<string, unknown>>;

/** Which fields of a row hold what was counted; the others are what it is told apart by. */
type Counted = ReadonlySet<string>;

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
  let rows = restated(whole, counted, faults, context);
  const missing = faults.strike('missing_rows', context);
  if (missing) {
    const { every = Number.POSITIVE_INFINITY, share } = missing;
    rows = rows.filter((_, index) => index % every !== every - 1 && !isHit('missing_rows', share));
  }
  const conflicting = faults.strike('conflicting_rows', context);
  if (conflicting) {
    const { share, factor } = conflicting;
    const other = (row: Row) => changed(row, counted, (value) => times(value, factor) + 1);
    rows = rows.flatMap((row) => (isHit('conflicting_rows', share) ? [row, other(row)] : [row]));
  }
  const repeated = faults.strike('repeated_rows', context);
  if (repeated) rows = rows.flatMap((row) => (isHit('repeated_rows', repeated.share) ? [row, row] : [row]));
  const wrong = faults.strike('wrong_types', context);
  if (wrong)
    rows = mistyped(rows, wrong, counted, {
      draw: () => faults.chance('wrong_types', context),
      now: context.now,
    });
  const strings = faults.strike('number_strings', context);
  if (strings)
    rows = rows.map((row) => (isHit('number_strings', strings.share) ? changed(row, counted, String) : row));
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

/** Values and times that are well formed, but not the true ones. */
function restated(
  rows: readonly Row[],
  counted: Counted,
  faults: FaultSwitch,
  context: FaultContext,
): readonly Row[] {
  const late = faults.lasting('late_restatement', context);
  const absurd = faults.strike('absurd_values', context);
  const jitter = faults.strike('timestamp_jitter', context);
  if (!(late || absurd || jitter)) return rows;
  return rows.map((row) => {
    const start = Date.parse(String(row['ts']));
    const isYoung = late !== undefined && context.now - start < late.minutes * 60_000;
    const early = isYoung ? changed(row, counted, (value) => times(value, late.factor)) : row;
    const isAbsurd = absurd !== undefined && faults.chance('absurd_values', context) < absurd.share;
    const valued = isAbsurd ? changed(early, counted, () => absurd.value) : early;
    if (jitter === undefined || Number.isNaN(start)) return valued;
    const offset = jitter.ms * (2 * faults.chance('timestamp_jitter', context) - 1);
    return { ...valued, ts: new Date(start + offset).toISOString() };
  });
}

function changed(row: Row, counted: Counted, change: (value: number) => unknown): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [
      field,
      counted.has(field) && typeof value === 'number' ? change(value) : value,
    ]),
  );
}

function mistyped(
  rows: readonly Row[],
  { kinds, share }: NonNullable<Faults['wrong_types']>,
  counted: Counted,
  { draw, now }: { draw: () => number; now: number },
): readonly Row[] {
  const damaged = rows.flatMap((row) => {
    if (draw() >= share) return [row];
    const kind = kinds[Math.floor(draw() * kinds.length)] ?? 'null_value';
    return KINDS[kind](row, (change) => changed(row, counted, change), now);
  });
  if (!kinds.includes('out_of_order')) return damaged;
  const at = Math.floor(draw() * damaged.length);
  return [...damaged.slice(at), ...damaged.slice(0, at)];
}

type Change = (change: (value: number) => unknown) => Row;

const KINDS: Record<
  (typeof POINT_DAMAGES)[number],
  (row: Row, with_: Change, now: number) => readonly Row[]
> = {
  string_value: (_, change) => [change(String)],
  null_value: (_, change) => [change(() => null)],
  nan_text: (_, change) => [change(() => 'NaN')],
  object_value: (_, change) => [change((value) => ({ value }))],
  negative_value: (_, change) => [change((value) => -1 - value)],
  not_a_pair: (row) => [Object.fromEntries(Object.entries(row).filter(([field]) => field !== 'ts'))],
  seconds_timestamp: (row) => [{ ...row, ts: Date.parse(String(row['ts'])) / 1000 }],
  future_point: (row, _, now) => [
    row,
    {
      ...row,
      ts: new Date(Math.ceil(now / 60_000) * 60_000 + 3_600_000).toISOString().replace('.000Z', 'Z'),
    },
  ],
  duplicate: (row) => [row, row],
  out_of_order: (row) => [row],
};
