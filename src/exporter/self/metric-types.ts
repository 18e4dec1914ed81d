import type { Labels } from '../catalogue/family.ts';
import { type FamilyMetadata, formatThreshold } from '../exposition/text-format.ts';
import type { OwnFamily, OwnLine, OwnMetrics } from './own-metrics.ts';

/** One of the exporter's own families, and the names of its labels. */
export interface DeclaredFamily extends FamilyMetadata {
  readonly labels: readonly string[];
}

/** Makes the exporter's own metrics, all named `edge_exporter_…`, and keeps a list of them. */
export class MetricMaker {
  readonly families: DeclaredFamily[] = [];
  readonly #own: OwnMetrics;

  constructor(own: OwnMetrics) {
    this.#own = own;
  }

  readonly counter = this.#measures('counter');
  readonly gauge = this.#measures('gauge');

  histogram<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
    buckets: readonly number[],
  ): Distribution<Names> {
    return new Distribution(this.#family(name, help, 'histogram', labelNames), labelNames, buckets);
  }

  summary<const Names extends readonly string[]>(
    name: string,
    help: string,
    labelNames: Names,
  ): RecentSummary<Names> {
    return new RecentSummary(this.#family(name, help, 'summary', labelNames), labelNames);
  }

  #measures(type: 'counter' | 'gauge') {
    return <const Names extends readonly string[]>(name: string, help: string, labelNames: Names) =>
      new Measure(this.#family(name, help, type, labelNames), labelNames);
  }

  #family(name: string, help: string, type: FamilyMetadata['type'], labels: readonly string[]): OwnFamily {
    const family = { name: `edge_exporter_${name}`, help, type, labels };
    this.families.push(family);
    return this.#own.family(family);
  }
}

/** One value for each of some label names. */
export type LabelValues<Names extends readonly string[]> = { readonly [Name in keyof Names]: string };

/** A counter or a gauge. Without label names it is 0 from the start. */
export class Measure<Names extends readonly string[]> {
  readonly #family: OwnFamily;
  readonly #lineOf: (values: readonly string[]) => OwnLine;
  /** Series that were set the last time, and the first label of each. */
  #replaced = new Map<OwnLine, string | undefined>();

  constructor(family: OwnFamily, names: Names) {
    this.#family = family;
    this.#lineOf = remembered((values) => family.line(labelsOf(names, values)));
    if (names.length === 0) family.set(this.#lineOf([]), 0);
  }

  /** The value for these labels; undefined where there is none. */
  value(...labels: LabelValues<Names>): number | undefined {
    const line = this.#lineOf(labels);
    return line.chunk === undefined ? undefined : line.value;
  }

  add(amount: number, ...labels: LabelValues<Names>): void {
    this.#family.add(this.#lineOf(labels), amount);
  }

  set(value: number, ...labels: LabelValues<Names>): void {
    this.#family.set(this.#lineOf(labels), value);
  }

  remove(...labels: LabelValues<Names>): void {
    this.#family.remove(this.#lineOf(labels));
  }

  /** Sets values one after another; at the end those go that were set the last time and are neither set nor kept now. */
  replacing(): Replacing<Names> {
    const former = this.#replaced;
    const replaced = new Map<OwnLine, string | undefined>();
    this.#replaced = replaced;
    return {
      set: (value, ...labels) => {
        const line = this.#lineOf(labels);
        replaced.set(line, labels[0]);
        this.#family.set(line, value);
      },
      keep: (...labels) => {
        const line = this.#lineOf(labels);
        if (former.has(line)) replaced.set(line, labels[0]);
      },
      keepAll: (first) => {
        for (const [line, label] of former) if (label === first) replaced.set(line, label);
      },
      end: () => this.#removeOthers(former, replaced),
    };
  }

  *#removeOthers(
    former: ReadonlyMap<OwnLine, unknown>,
    kept: ReadonlyMap<OwnLine, unknown>,
  ): Generator<undefined, void> {
    for (const line of former.keys()) {
      if (kept.has(line)) continue;
      this.#family.remove(line);
      yield;
    }
  }
}

/** A replacement of the values of a metric. */
export interface Replacing<Names extends readonly string[]> {
  set(value: number, ...labels: LabelValues<Names>): void;
  /** Keeps a value that was set the last time. */
  keep(...labels: LabelValues<Names>): void;
  /** Keeps all such values with this first label. */
  keepAll(first: string): void;
  /** Removes what was neither set nor kept, a series a step. */
  end(): Generator<undefined, void>;
}

/** A histogram. */
export class Distribution<Names extends readonly string[]> {
  readonly #family: OwnFamily;
  readonly #bounds: readonly number[];
  readonly #linesOf: (values: readonly string[]) => Totals & { readonly buckets: readonly OwnLine[] };

  constructor(family: OwnFamily, names: Names, buckets: readonly number[]) {
    this.#family = family;
    this.#bounds = [...buckets, Number.POSITIVE_INFINITY];
    this.#linesOf = remembered((values) => {
      const labels = labelsOf(names, values);
      return {
        buckets: this.#bounds.map((bound) =>
          family.line({ ...labels, le: formatThreshold(bound) }, '_bucket'),
        ),
        ...totals(family, labels),
      };
    });
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    this.observeAll([value], ...labels);
  }

  observeAll(values: readonly number[], ...labels: LabelValues<Names>): void {
    if (values.length === 0) return;
    const { buckets, ...sums } = this.#linesOf(labels);
    for (const [index, line] of buckets.entries()) {
      const bound = this.#bounds[index] ?? Number.NaN;
      let count = 0;
      for (const value of values) if (value <= bound) count += 1;
      this.#family.add(line, count);
    }
    addTotals(this.#family, sums, values);
  }
}

/** The quantile covers this many observations. */
const RECENT = 32;
const QUANTILE = 0.95;

/** A summary: sum, count, and a quantile of the most recent observations. Three lines where a histogram takes a dozen. */
export class RecentSummary<Names extends readonly string[]> {
  readonly #family: OwnFamily;
  readonly #of: (values: readonly string[]) => Recent;

  constructor(family: OwnFamily, names: Names) {
    this.#family = family;
    this.#of = remembered((values) => {
      const labels = labelsOf(names, values);
      return {
        values: [],
        quantile: family.line({ ...labels, quantile: String(QUANTILE) }),
        ...totals(family, labels),
      };
    });
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    const { values, quantile, ...sums } = this.#of(labels);
    values.push(value);
    if (values.length > RECENT) values.shift();
    this.#family.set(quantile, quantileOf(values));
    addTotals(this.#family, sums, [value]);
  }
}

/** The lines that show the sum and the count of what was observed. */
interface Totals {
  readonly sum: OwnLine;
  readonly count: OwnLine;
}

interface Recent extends Totals {
  readonly values: number[];
  readonly quantile: OwnLine;
}

/** The smallest of the values that at least this share of them do not exceed. */
function quantileOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(QUANTILE * sorted.length) - 1] ?? Number.NaN;
}

function totals(family: OwnFamily, labels: Labels): Totals {
  return { sum: family.line(labels, '_sum'), count: family.line(labels, '_count') };
}

function addTotals(family: OwnFamily, { sum, count }: Totals, values: readonly number[]): void {
  let all = 0;
  for (const value of values) all += value;
  family.add(sum, all);
  family.add(count, values.length);
}

function labelsOf(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

/** What is made of label values, made once: to write the texts of a histogram takes longer than to count in it. */
function remembered<Made>(make: (values: readonly string[]) => Made): (values: readonly string[]) => Made {
  const known = new Map<string, Made>();
  return (values) => {
    const key = values.join('\0');
    const made = known.get(key) ?? make(values);
    known.set(key, made);
    return made;
  };
}
