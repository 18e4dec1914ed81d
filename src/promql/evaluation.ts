import { parseDuration } from '../configuration/prometheus-duration.ts';
import { AlertState, type Firing } from './alert-states.ts';
import { vector } from './compile.ts';
import type { Expression } from './expression.ts';
import { keyOf, type Labels } from './labels.ts';
import { parse } from './parse.ts';
import type { Group, GroupRule } from './rule-group.ts';
import { SampleTable } from './sample-table.ts';
import type { Vector } from './vector.ts';

/** A series of what was scraped: one value for each step, NaN where there was none. */
export interface Input {
  readonly name: string;
  readonly labels: Labels;
  readonly values: Float64Array;
}

/** A part of a history; the next one begins where it ends. */
export interface Chunk {
  /** The moment of the first step, ms since the epoch; a multiple of the step. */
  readonly start: number;
  readonly steps: number;
  /** The series that have samples in it, with as many values as there are steps. */
  readonly inputs: readonly Input[];
}

/** An alert of a rule: always the same object for the same labels. */
export interface Alert {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
}

/** Told of alerts at every evaluation. */
export interface AlertObserver {
  /** It fires. `value` is NaN while its condition does not hold and `keep_firing_for` keeps it. */
  firing?(alert: Alert, moment: number, value: number): void;
  /** It does not fire any more, or `open`: the evaluation ended while it did. */
  fired?(alert: Alert, firing: Firing, open: boolean): void;
}

export interface EvaluationOptions {
  /** In the order in which they are evaluated at the same moment. */
  readonly groups: readonly Group[];
  /** Of the inputs, and of what groups' intervals are multiples of: milliseconds. */
  readonly step: number;
  readonly observer?: AlertObserver;
  /** How far back recorded series can be read, besides what rules look back: milliseconds. */
  readonly readable?: number;
}

interface Recording {
  readonly table: SampleTable;
  readonly expression: Expression;
  readonly interval: number;
}

interface Alerting {
  readonly rule: Extract<GroupRule, { alert: string }>;
  readonly expression: Expression;
  readonly interval: number;
  /** By the labels of the elements of the expression. */
  readonly alerts: Map<string, AlertInstance>;
}

interface AlertInstance extends Alert {
  readonly state: AlertState;
}

type Run = (moment: number) => void;

interface DueRule {
  readonly interval: number;
  readonly run: Run;
}

/**
 * Evaluates rules over a history that comes in chunks, step by step, as a Prometheus does whose groups are all due at
 * multiples of their interval, in their order. What is held in memory is what rules look back at.
 */
export class Evaluation {
  readonly #step: number;
  readonly #observer: AlertObserver;
  readonly #tables = new Map<string, SampleTable>();
  readonly #scraped = new Map<string, SampleTable>();
  readonly #rules: (Recording | Alerting)[];
  #runs: readonly DueRule[] | undefined;
  #now = 0;

  /** @throws {ExpressionError} */
  constructor({ groups, step, observer = {}, readable = 0 }: EvaluationOptions) {
    this.#step = step;
    this.#observer = observer;
    this.#rules = groups.flatMap(({ interval, rules }) =>
      rules.map((rule) => this.#rule(rule, parseDuration(interval) ?? step, readable)),
    );
  }

  /**
   * Evaluates the rules at every step of a chunk.
   * @throws {UnsupportedExpression} where a rule needs what is not evaluated here
   */
  advance({ start, steps, inputs }: Chunk, onStep?: (step: number) => void): void {
    const writes = this.#admit(inputs);
    const runs = this.#runs ?? this.#compile();
    this.#runs = runs;
    for (let index = 0; index < steps; index++) {
      this.#now = start + index * this.#step;
      for (const write of writes) write(this.#now, index);
      for (const { interval, run } of runs) if (this.#now % interval === 0) run(this.#now);
      onStep?.(index);
    }
    this.#now = start + steps * this.#step;
  }

  /** What fires by now fires on: tells the observer. */
  end(): void {
    for (const rule of this.#rules) {
      if ('table' in rule) continue;
      for (const alert of rule.alerts.values()) {
        const from = alert.state.firingSince;
        if (from !== undefined) this.#observer.fired?.(alert, { from, to: this.#now }, true);
      }
    }
  }

  /** The value of a series at a moment that is not too long ago, or now; NaN where there is none. */
  read(name: string, labels: Labels, moment: number = this.#now): number {
    const table = this.#tables.get(name);
    const place = table?.placeOf(labels);
    return table === undefined || place === undefined ? Number.NaN : table.at(place, moment);
  }

  #rule(rule: GroupRule, interval: number, readable: number): Recording | Alerting {
    const expression = parse(rule.expr);
    if (!('record' in rule)) return { rule, expression, interval, alerts: new Map() };
    const table = this.#tables.get(rule.record) ?? new SampleTable(rule.record, interval);
    table.reach(readable);
    this.#tables.set(rule.record, table);
    return { table, expression, interval };
  }

  /** Makes room for series that are new. @returns what writes the values of all, one step after another */
  #admit(inputs: readonly Input[]): readonly ((moment: number, index: number) => void)[] {
    const byName = new Map<string, Input[]>([...this.#scraped.keys()].map((name) => [name, []]));
    for (const input of inputs) byName.set(input.name, [...(byName.get(input.name) ?? []), input]);
    return [...byName].map(([name, series]) => {
      const table = this.#tables.get(name) ?? new SampleTable(name, this.#step);
      this.#tables.set(name, table);
      this.#scraped.set(name, table);
      if (table.admit(series.map(({ labels }) => labels))) this.#runs = undefined;
      return writer(table, series);
    });
  }

  #compile(): readonly DueRule[] {
    const recordings = this.#rules.filter((rule) => 'table' in rule);
    settleShapes(recordings, this.#tables);
    const runs = this.#rules.map((rule) => {
      const { interval, expression } = rule;
      const compiled = vector(expression, this.#tables);
      const run = 'table' in rule ? recorder(rule.table, compiled) : this.#alerter(rule, compiled);
      return { interval, run };
    });
    for (const table of this.#tables.values()) table.makeRoom();
    return runs;
  }

  #alerter(alerting: Alerting, { labels, at }: Vector): Run {
    const alerts = labels.map((set) => instanceOf(alerting, set));
    return (moment) => {
      const found = at(moment);
      for (let index = 0; index < alerts.length; index++) {
        const alert = alerts[index] as AlertInstance;
        const value = found[index] as number;
        const ended = alert.state.evaluate(moment, !Number.isNaN(value));
        if (alert.state.firingSince !== undefined) this.#observer.firing?.(alert, moment, value);
        if (ended !== undefined) this.#observer.fired?.(alert, ended, false);
      }
    };
  }
}

/** What series rules record depends on what other rules do: until no more are found. */
function settleShapes(recordings: readonly Recording[], tables: Map<string, SampleTable>): void {
  for (let grown = true; grown; ) {
    grown = false;
    for (const { table, expression } of recordings) {
      if (table.admit(vector(expression, tables).labels)) grown = true;
    }
  }
}

function writer(table: SampleTable, series: readonly Input[]): (moment: number, index: number) => void {
  const places = Int32Array.from(series, ({ labels }) => table.placeOf(labels) ?? 0);
  const values = new Float64Array(table.labels.length).fill(Number.NaN);
  return (moment, index) => {
    for (let at = 0; at < places.length; at++) {
      values[places[at] as number] = series[at]?.values[index] ?? Number.NaN;
    }
    table.write(moment, values);
  };
}

function recorder(table: SampleTable, { labels, at }: Vector): Run {
  const places = Int32Array.from(labels, (set) => table.placeOf(set) ?? 0);
  const values = new Float64Array(table.labels.length).fill(Number.NaN);
  return (moment) => {
    const found = at(moment);
    for (let index = 0; index < places.length; index++)
      values[places[index] as number] = found[index] as number;
    table.write(moment, values);
  };
}

function instanceOf({ rule, alerts }: Alerting, labels: Labels): AlertInstance {
  const key = keyOf(labels);
  const known = alerts.get(key);
  if (known !== undefined) return known;
  const duration = (text: string | undefined): number =>
    text === undefined ? 0 : (parseDuration(text) ?? 0);
  const own = Object.entries({ ...rule.labels, alertname: rule.alert }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const state = new AlertState({ hold: duration(rule.for), keepFiring: duration(rule.keep_firing_for) });
  const alert = { labels: { ...labels, ...Object.fromEntries(own) }, state };
  alerts.set(key, alert);
  return alert;
}
