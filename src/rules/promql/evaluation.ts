import { parseDuration } from '../../exporter/text/figures.ts';
import { vector } from './compile.ts';
import { type Expression, parse } from './parse.ts';
import { type HeldSamples, SampleTable, type Tables } from './sample-table.ts';
import { keyOf, type Labels } from './vector.ts';

/** A scraped series: one value per step, NaN without a sample. */
export interface Input {
  readonly name: string;
  readonly labels: Labels;
  readonly values: Float64Array;
}

/** A part of a history. The next chunk begins at its end. */
export interface Chunk {
  /** Time of the first step (ms since the epoch), a multiple of the step. */
  readonly start: number;
  readonly steps: number;
  /** Series with samples in this chunk, each with one value per step. */
  readonly inputs: readonly Input[];
}

export interface EvaluationOptions {
  /** Groups in the order of their evaluation at the same time. */
  readonly groups: readonly Group[];
  /** Step of the inputs (ms); groups' intervals are multiples of it. */
  readonly step: number;
  readonly observer?: EvaluationObserver;
  /** Time (ms) for which recorded series stay readable, beyond the look-back of the rules. */
  readonly readable?: number;
}

interface DueRule {
  readonly interval: number;
  readonly run: (moment: number) => void;
}

/**
 * Evaluates rules over a history in chunks, step by step. The result equals that of a Prometheus whose groups are due at multiples
 * of their interval, in their order. Keeps the look-back of the rules in memory.
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

  /** Evaluates the rules at every step of a chunk. @throws {UnsupportedExpression} if a rule uses an unsupported function */
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

  /** Ends the evaluation, and reports the alerts that still fire to the observer. */
  end(): void {
    for (const rule of this.#rules) if (rule instanceof AlertingRule) rule.end(this.#now, this.#observer);
  }

  /** Returns the value of a series at a recent time, by default now; NaN if there is none. */
  read(name: string, labels: Labels, moment: number = this.#now): number {
    const table = this.#tables.get(name);
    const place = table?.placeOf(labels);
    return table === undefined || place === undefined ? Number.NaN : table.at(place, moment);
  }

  /** Returns the recorded series, as far back as the look-back. */
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

  /** Allocates space for new series. @returns a function that writes all values of a step */
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

/** Allocates space until no rule records new series, because rules depend on each other's series. */
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

/** An alert of a rule. The same labels always have the same object. */
export interface Alert {
  /** All labels, with `alertname` and `severity`. */
  readonly labels: Labels;
}

/** Observer of the results of every evaluation. */
export interface EvaluationObserver {
  /**
   * Called after a recording rule was evaluated, with the values of its series until the next evaluation. A value is NaN if there
   * is none.
   */
  recorded?(name: string, series: readonly Labels[], moment: number, values: Float64Array): void;
  /** Called while an alert fires. `value` is NaN if it fires only because of `keep_firing_for`. */
  firing?(alert: Alert, moment: number, value: number): void;
  /** Called when an alert ended; `open` if the evaluation ended while it fired. */
  fired?(alert: Alert, firing: Firing, open: boolean): void;
}

/** A rule that writes the result of its expression into the table of its series. */
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

  /** Allocates space for the series that the rule can record now. @returns true if there are new ones */
  admit(tables: Tables): boolean {
    return this.#table.admit(vector(this.#expression, tables).labels);
  }

  /** Returns the compiled rule. @throws {UnsupportedExpression} */
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

/** An alerting rule as written in a rule file. */
export type WrittenAlertingRule = Extract<GroupRule, { alert: string }>;

interface FollowedAlert extends Alert {
  readonly state: AlertState;
}

/** Returns `for` and `keep_firing_for` of a rule's alerts. */
export function timingOf({ for: hold, keep_firing_for: kept }: WrittenAlertingRule): AlertTiming {
  const duration = (text: string | undefined): number =>
    text === undefined ? 0 : (parseDuration(text) ?? 0);
  return { hold: duration(hold), keepFiring: duration(kept) };
}

/** Returns the labels of a rule's alert for an element of its expression. */
export function labelsOfAlert({ alert, labels }: WrittenAlertingRule, element: Labels): Labels {
  const own = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...element, ...Object.fromEntries(own), alertname: alert };
}

/** A rule with one alert per element of its expression. */
export class AlertingRule {
  /** Milliseconds between two evaluations. */
  readonly interval: number;
  readonly #rule: WrittenAlertingRule;
  readonly #expression: Expression;
  /** Alerts by the labels of their elements. */
  readonly #alerts = new Map<string, FollowedAlert>();

  /** @throws {ExpressionError} */
  constructor(rule: WrittenAlertingRule, interval: number) {
    this.interval = interval;
    this.#rule = rule;
    this.#expression = parse(rule.expr);
  }

  /** Returns the compiled rule. @throws {UnsupportedExpression} */
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

  /** Reports the alerts that fire when the evaluation ends to the observer. */
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

/** Span in which an alert fires, from `from` (inclusive) to `to` (exclusive); ms since the epoch. */
export interface Firing {
  readonly from: number;
  readonly to: number;
}

/** `for` and `keep_firing_for` of an alert, in milliseconds. */
export interface AlertTiming {
  readonly hold: number;
  readonly keepFiring: number;
}

/** State of one alert of a rule, updated at each evaluation as in Prometheus. */
export class AlertState {
  readonly #timing: AlertTiming;
  #activeSince: number | undefined;
  #missingSince: number | undefined;
  /** Time at which the alert started to fire; undefined while it does not fire. */
  firingSince: number | undefined;

  constructor(timing: AlertTiming) {
    this.#timing = timing;
  }

  /** Updates the state with an evaluation. @returns the span in which the alert fired, if it ends now */
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
