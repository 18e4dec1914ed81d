import { vector } from './compile.ts';
import type { EvaluationObserver } from './evaluation-observer.ts';
import type { Expression } from './expression.ts';
import { parse } from './parse.ts';
import type { SampleTable, Tables } from './sample-table.ts';

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
