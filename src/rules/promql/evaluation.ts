import { parseDuration } from '../../exporter/text/figures.ts';
import {
  AlertingRule,
  type EvaluationObserver,
  type Group,
  type GroupRule,
  RecordingRule,
} from './evaluated-rules.ts';
import { type HeldSamples, SampleTable, type Tables } from './sample-table.ts';
import type { Labels } from './vector.ts';

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
