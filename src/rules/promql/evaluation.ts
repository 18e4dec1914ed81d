import { parseDuration } from '../../exporter/text/figures.ts';
import { vector } from './compile.ts';
import { type Expression, parse } from './parse.ts';
import { type HeldSamples, SampleTable, type Tables } from './sample-table.ts';
import { keyOf, type Labels } from './vector.ts';

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

export interface EvaluationOptions {
  /** In the order in which they are evaluated at the same moment. */
  readonly groups: readonly Group[];
  /** Of the inputs, and of what groups' intervals are multiples of: milliseconds. */
  readonly step: number;
  readonly observer?: EvaluationObserver;
  /** How far back recorded series can be read, besides what rules look back: milliseconds. */
  readonly readable?: number;
}

interface DueRule {
  readonly interval: number;
  readonly run: (moment: number) => void;
}

/**
 * Evaluates rules over a history that comes in chunks, step by step, as a Prometheus does whose groups are all due at
 * multiples of their interval, in their order. What is held in memory is what rules look back at.
 */
export class Evaluation {
  readonly #step: number;
  readonly #observer: EvaluationObserver;
  readonly #tables = new Map<string, SampleTable>();
  readonly #scraped = new Map<string, SampleTable>();
  readonly #rules: readonly (RecordingRule | AlertingRule)[];
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
    for (const rule of this.#rules) if (rule instanceof AlertingRule) rule.end(this.#now, this.#observer);
  }

  /** The value of a series at a moment that is not too long ago, or now; NaN where there is none. */
  read(name: string, labels: Labels, moment: number = this.#now): number {
    const table = this.#tables.get(name);
    const place = table?.placeOf(labels);
    return table === undefined || place === undefined ? Number.NaN : table.at(place, moment);
  }

  /** What rules have recorded, as far back as anybody looks. */
  *recorded(): Generator<HeldSamples, void> {
    for (const [name, table] of this.#tables) if (!this.#scraped.has(name)) yield* table.held();
  }

  #rule(rule: GroupRule, interval: number, readable: number): RecordingRule | AlertingRule {
    if (!('record' in rule)) return new AlertingRule(rule, interval);
    const table = this.#tables.get(rule.record) ?? new SampleTable(rule.record, interval);
    table.reach(readable);
    this.#tables.set(rule.record, table);
    return new RecordingRule(table, rule.expr, interval);
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
    settleShapes(
      this.#rules.filter((rule) => rule instanceof RecordingRule),
      this.#tables,
    );
    const runs = this.#rules.map((rule) => ({
      interval: rule.interval,
      run: rule.compile(this.#tables, this.#observer),
    }));
    for (const table of this.#tables.values()) table.makeRoom();
    return runs;
  }
}

/** What series rules record depends on what other rules do: until no more are found. */
function settleShapes(recordings: readonly RecordingRule[], tables: Tables): void {
  for (let grown = true; grown; ) {
    grown = false;
    for (const rule of recordings) if (rule.admit(tables)) grown = true;
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

/** An alert of a rule: always the same object for the same labels. */
export interface Alert {
  /** With its name (`alertname`), its severity, and all others. */
  readonly labels: Labels;
}

/** Told of what rules come to at every evaluation. */
export interface EvaluationObserver {
  /** A recording rule was evaluated: the values of its series, NaN where there is none, until the next evaluation. */
  recorded?(name: string, series: readonly Labels[], moment: number, values: Float64Array): void;
  /** It fires. `value` is NaN while its condition does not hold and `keep_firing_for` keeps it. */
  firing?(alert: Alert, moment: number, value: number): void;
  /** It does not fire any more, or `open`: the evaluation ended while it did. */
  fired?(alert: Alert, firing: Firing, open: boolean): void;
}

/** A rule that writes what its expression yields into the table of its series. */
export class RecordingRule {
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly #table: SampleTable;
  readonly #expression: Expression;

  /** @throws {ExpressionError} */
  constructor(table: SampleTable, expr: string, interval: number) {
    this.interval = interval;
    this.#table = table;
    this.#expression = parse(expr);
  }

  /** Makes room for the series that it can record by now. @returns whether there are new ones */
  admit(tables: Tables): boolean {
    return this.#table.admit(vector(this.#expression, tables).labels);
  }

  /** What evaluates it at a moment. @throws {UnsupportedExpression} */
  compile(tables: Tables, observer: EvaluationObserver): (moment: number) => void {
    const table = this.#table;
    const { labels, at } = vector(this.#expression, tables);
    const places = Int32Array.from(labels, (set) => table.placeOf(set) ?? 0);
    const values = new Float64Array(table.labels.length).fill(Number.NaN);
    return (moment) => {
      const found = at(moment);
      for (let index = 0; index < places.length; index++)
        values[places[index] as number] = found[index] as number;
      table.write(moment, values);
      observer.recorded?.(table.name, table.labels, moment, values);
    };
  }
}

/** A rule as it is written in a file. */
export type WrittenAlertingRule = Extract<GroupRule, { alert: string }>;

interface FollowedAlert extends Alert {
  readonly state: AlertState;
}

/** How long the alerts of a rule must hold, and how long they outlive their condition. */
export function timingOf({ for: hold, keep_firing_for: kept }: WrittenAlertingRule): AlertTiming {
  const duration = (text: string | undefined): number =>
    text === undefined ? 0 : (parseDuration(text) ?? 0);
  return { hold: duration(hold), keepFiring: duration(kept) };
}

/** The labels of a rule's alert about an element of its expression. */
export function labelsOfAlert({ alert, labels }: WrittenAlertingRule, element: Labels): Labels {
  const own = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...element, ...Object.fromEntries(own), alertname: alert };
}

/** A rule with one alert for each element of its expression. */
export class AlertingRule {
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly #rule: WrittenAlertingRule;
  readonly #expression: Expression;
  /** By the labels of the elements. */
  readonly #alerts = new Map<string, FollowedAlert>();

  /** @throws {ExpressionError} */
  constructor(rule: WrittenAlertingRule, interval: number) {
    this.interval = interval;
    this.#rule = rule;
    this.#expression = parse(rule.expr);
  }

  /** What evaluates it at a moment. @throws {UnsupportedExpression} */
  compile(tables: Tables, observer: EvaluationObserver): (moment: number) => void {
    const { labels, at } = vector(this.#expression, tables);
    const alerts = labels.map((set) => this.#alertOf(set));
    return (moment) => {
      const found = at(moment);
      for (let index = 0; index < alerts.length; index++) {
        const alert = alerts[index] as FollowedAlert;
        const value = found[index] as number;
        const ended = alert.state.evaluate(moment, !Number.isNaN(value));
        if (alert.state.firingSince !== undefined) observer.firing?.(alert, moment, value);
        if (ended !== undefined) observer.fired?.(alert, ended, false);
      }
    };
  }

  /** Tells the observer of the alerts that fire on when the evaluation ends. */
  end(now: number, observer: EvaluationObserver): void {
    for (const alert of this.#alerts.values()) {
      const from = alert.state.firingSince;
      if (from !== undefined) observer.fired?.(alert, { from, to: now }, true);
    }
  }

  #alertOf(element: Labels): FollowedAlert {
    const key = keyOf(element);
    const alert = this.#alerts.get(key) ?? {
      labels: labelsOfAlert(this.#rule, element),
      state: new AlertState(timingOf(this.#rule)),
    };
    this.#alerts.set(key, alert);
    return alert;
  }
}

/** A time in which an alert fires: from, and to but not including; ms since the epoch. */
export interface Firing {
  readonly from: number;
  readonly to: number;
}

/** How long an alert's condition must hold, and how long the alert outlives it: milliseconds. */
export interface AlertTiming {
  readonly hold: number;
  readonly keepFiring: number;
}

/** When one alert of a rule fires, as Prometheus decides it, evaluation by evaluation. */
export class AlertState {
  readonly #timing: AlertTiming;
  #activeSince: number | undefined;
  #missingSince: number | undefined;
  /** When it began to fire; undefined while it does not. */
  firingSince: number | undefined;

  constructor(timing: AlertTiming) {
    this.#timing = timing;
  }

  /** Takes in an evaluation. @returns the time in which it fired, when that ends now */
  evaluate(moment: number, holds: boolean): Firing | undefined {
    if (holds) {
      this.#activeSince ??= moment;
      this.#missingSince = undefined;
      if (moment - this.#activeSince >= this.#timing.hold) this.firingSince ??= moment;
      return undefined;
    }
    if (this.#activeSince === undefined) return undefined;
    this.#missingSince ??= moment;
    const kept = this.firingSince !== undefined && moment - this.#missingSince < this.#timing.keepFiring;
    return kept ? undefined : this.#end(moment);
  }

  #end(moment: number): Firing | undefined {
    const from = this.firingSince;
    this.#activeSince = undefined;
    this.#missingSince = undefined;
    this.firingSince = undefined;
    return from === undefined ? undefined : { from, to: moment };
  }
}
