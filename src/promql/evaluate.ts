import { parseDuration } from '../configuration/prometheus-duration.ts';
import { AlertState, type Firing } from './alert-states.ts';
import { vector } from './compile.ts';
import type { Expression } from './expression.ts';
import type { Labels } from './labels.ts';
import { parse } from './parse.ts';
import { SeriesTable } from './sample-table.ts';
import type { Vector } from './vector.ts';

/** A group of rules as in a rule file. */
export interface Group {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly GroupRule[];
}

export type GroupRule =
  | { readonly record: string; readonly expr: string }
  | {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly keep_firing_for?: string;
      readonly labels: Readonly<Record<string, string | undefined>>;
    };

/** A series of what was scraped: one value for each step, NaN where there was none. */
export interface Input {
  readonly name: string;
  readonly labels: Labels;
  readonly values: Float64Array;
}

/** A time in which an alert fired. */
export interface FiredAlert extends Firing {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
  /** Whether it went on when the evaluation ended. */
  readonly open: boolean;
}

export interface EvaluationOptions {
  /** In the order in which they are evaluated at the same moment. */
  readonly groups: readonly Group[];
  readonly inputs: readonly Input[];
  /** Of the inputs, and of what groups' intervals are multiples of: milliseconds. */
  readonly step: number;
  /** The moment of the first step, ms since the epoch; a multiple of every interval. */
  readonly start: number;
  readonly steps: number;
  /** Called after each step with what reads recorded series at that moment. */
  readonly onStep?: (step: number, read: ReadSeries) => void;
}

/** The value of a series in the newest evaluation; NaN where there is none. */
export type ReadSeries = (name: string, labels: Labels) => number;

interface Recording {
  readonly table: SeriesTable;
  readonly expression: Expression;
  readonly interval: number;
}

interface Alerting {
  readonly rule: Extract<GroupRule, { alert: string }>;
  readonly expression: Expression;
  readonly interval: number;
}

/**
 * Evaluates rules over a history, step by step, as a Prometheus does whose groups are all due at multiples of their
 * interval, in their order.
 * @returns the times in which alerts fired, in the order of their ends
 */
export function evaluate(options: EvaluationOptions): readonly FiredAlert[] {
  const { groups, inputs, step, start, steps } = options;
  const tables = new Map<string, SeriesTable>();
  const scraped = groupInputs(inputs, step, tables);
  const recordings: Recording[] = [];
  const alertings: Alerting[] = [];
  const order: (Recording | Alerting)[] = [];
  for (const group of groups) {
    const interval = parseDuration(group.interval) ?? step;
    for (const rule of group.rules) {
      const expression = parse(rule.expr);
      if ('record' in rule) {
        const table = tables.get(rule.record) ?? new SeriesTable(rule.record, interval);
        tables.set(rule.record, table);
        const recording = { table, expression, interval };
        recordings.push(recording);
        order.push(recording);
      } else {
        const alerting = { rule, expression, interval };
        alertings.push(alerting);
        order.push(alerting);
      }
    }
  }
  settleShapes(recordings, tables);
  const fired: FiredAlert[] = [];
  const rules = order.map((entry) =>
    'table' in entry
      ? recorder(entry, vector(entry.expression, tables))
      : alerter(entry, vector(entry.expression, tables), fired),
  );
  for (const table of tables.values()) table.clear();
  const read: ReadSeries = (name, labels) => {
    const table = tables.get(name);
    const place = table?.placeOf(labels);
    return table === undefined || place === undefined ? Number.NaN : table.at(place, now);
  };
  let now = start;
  for (let index = 0; index < steps; index++) {
    now = start + index * step;
    for (const write of scraped) write(now, index);
    for (const { interval, run } of rules) if (now % interval === 0) run(now);
    options.onStep?.(index, read);
  }
  for (const { end } of rules) end?.(start + steps * step);
  return fired;
}

/** What series rules record depends on what other rules do: until no more are found. */
function settleShapes(recordings: readonly Recording[], tables: Map<string, SeriesTable>): void {
  for (let grown = true; grown; ) {
    grown = false;
    for (const { table, expression } of recordings) {
      if (table.admit(vector(expression, tables).labels)) grown = true;
    }
  }
}

function groupInputs(
  inputs: readonly Input[],
  step: number,
  tables: Map<string, SeriesTable>,
): readonly ((moment: number, index: number) => void)[] {
  const names = [...new Set(inputs.map(({ name }) => name))];
  return names.map((name) => {
    const series = inputs.filter((input) => input.name === name);
    const table = new SeriesTable(name, step);
    table.admit(series.map(({ labels }) => labels));
    tables.set(name, table);
    const values = new Float64Array(series.length);
    return (moment, index) => {
      for (const [place, input] of series.entries()) values[place] = input.values[index] ?? Number.NaN;
      table.write(moment, values);
    };
  });
}

interface Runner {
  readonly interval: number;
  readonly run: (moment: number) => void;
  readonly end?: (moment: number) => void;
}

function recorder({ table, interval }: Recording, { labels, at }: Vector): Runner {
  const places = Int32Array.from(labels, (set) => table.placeOf(set) ?? 0);
  const values = new Float64Array(table.labels.length).fill(Number.NaN);
  return {
    interval,
    run(moment) {
      const found = at(moment);
      for (let index = 0; index < places.length; index++)
        values[places[index] as number] = found[index] as number;
      table.write(moment, values);
    },
  };
}

function alerter({ rule, interval }: Alerting, { labels, at }: Vector, fired: FiredAlert[]): Runner {
  const duration = (text: string | undefined): number =>
    text === undefined ? 0 : (parseDuration(text) ?? 0);
  const patience = { hold: duration(rule.for), keepFiring: duration(rule.keep_firing_for) };
  const own = Object.entries({ ...rule.labels, alertname: rule.alert }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const all = labels.map((set) => ({ ...set, ...Object.fromEntries(own) }));
  const states = labels.map(() => new AlertState(patience));
  return {
    interval,
    run(moment) {
      const found = at(moment);
      for (let index = 0; index < states.length; index++) {
        const ended = states[index]?.evaluate(moment, !Number.isNaN(found[index] as number));
        if (ended !== undefined) fired.push({ ...ended, labels: all[index] ?? {}, open: false });
      }
    },
    end(moment) {
      for (const [index, { firingSince }] of states.entries()) {
        if (firingSince === undefined) continue;
        fired.push({ from: firingSince, to: moment, labels: all[index] ?? {}, open: true });
      }
    },
  };
}
