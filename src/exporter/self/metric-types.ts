import type { Labels } from '../catalogue/family.ts';
import { type FamilyMetadata, formatThreshold } from '../exposition/text-format.ts';
import type { OwnFamily, OwnLine } from './own-family.ts';
import type { OwnMetrics } from './own-metrics.ts';

/** One value for each of some label names. */
type LabelValues<Names extends readonly string[]> = { readonly [Name in keyof Names]: string };

/** A summary's quantile covers this many observations. */
const RECENT = 32;
const QUANTILE = 0.95;

/** Makes the exporter's own metrics, all named `edge_exporter_…`, and keeps a list of them with the names of their labels. */
export class MetricMaker {
  readonly families: (FamilyMetadata & { readonly labels: readonly string[] })[] = [];
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
  ) {
    const family = this.#family(name, help, 'histogram', labelNames);
    const bounds = [...buckets, Number.POSITIVE_INFINITY];
    const linesOf = remembered(labelNames, (labels) => ({
      lines: bounds.map((bound) => family.line({ ...labels, le: formatThreshold(bound) }, '_bucket')),
      addTotals: totals(family, labels),
    }));
    const observeAll = (values: readonly number[], ...labels: LabelValues<Names>): void => {
      if (values.length === 0) return;
      const { lines, addTotals } = linesOf(labels);
      for (const [index, line] of lines.entries()) {
        const bound = bounds[index] ?? Number.NaN;
        family.add(line, values.filter((value) => value <= bound).length);
      }
      addTotals(values);
    };
    return {
      observeAll,
      observe: (value: number, ...labels: LabelValues<Names>) => observeAll([value], ...labels),
    };
  }

  /** Sum, count, and a quantile of the most recent observations: three lines where a histogram takes a dozen. */
  summary<const Names extends readonly string[]>(name: string, help: string, labelNames: Names) {
    const family = this.#family(name, help, 'summary', labelNames);
    const linesOf = remembered(labelNames, (labels) => ({
      recent: [] as number[],
      quantile: family.line({ ...labels, quantile: String(QUANTILE) }),
      addTotals: totals(family, labels),
    }));
    return {
      observe: (value: number, ...labels: LabelValues<Names>): void => {
        const { recent, quantile, addTotals } = linesOf(labels);
        recent.push(value);
        if (recent.length > RECENT) recent.shift();
        family.set(quantile, quantileOf(recent));
        addTotals([value]);
      },
    };
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

/** A counter or a gauge. Without label names it is 0 from the start. */
export class Measure<Names extends readonly string[]> {
  readonly #family: OwnFamily;
  readonly #lineOf: (values: readonly string[]) => OwnLine;
  /** Series that were set the last time, and the first label of each. */
  #replaced = new Map<OwnLine, string | undefined>();

  constructor(family: OwnFamily, names: Names) {
    this.#family = family;
    this.#lineOf = remembered(names, (labels) => family.line(labels));
    if (names.length === 0) family.set(this.#lineOf([]), 0);
  }

  /** The value for these labels; undefined where there is none. */
  value(...labels: LabelValues<Names>): number | undefined {
    const line = this.#lineOf(labels);
    return line.isShown ? line.value : undefined;
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
  replacing() {
    const [family, lineOf, former] = [this.#family, this.#lineOf, this.#replaced];
    const replaced = new Map<OwnLine, string | undefined>();
    this.#replaced = replaced;
    return {
      set(value: number, ...labels: LabelValues<Names>): void {
        const line = lineOf(labels);
        replaced.set(line, labels[0]);
        family.set(line, value);
      },
      /** Keeps a value that was set the last time. */
      keep(...labels: LabelValues<Names>): void {
        const line = lineOf(labels);
        if (former.has(line)) replaced.set(line, labels[0]);
      },
      /** Keeps all such values with this first label. */
      keepAll(first: string): void {
        for (const [line, label] of former) if (label === first) replaced.set(line, label);
      },
      /** Removes what was neither set nor kept, a series a step. */
      *end(): Generator<undefined, void> {
        for (const line of former.keys()) {
          if (replaced.has(line)) continue;
          family.remove(line);
          yield;
        }
      },
    };
  }
}

/** The smallest of the values that at least this share of them do not exceed. */
function quantileOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(QUANTILE * sorted.length) - 1] ?? Number.NaN;
}

/** Adds to the lines that show the sum and the count of what was observed. */
function totals(family: OwnFamily, labels: Labels): (values: readonly number[]) => void {
  const [sum, count] = [family.line(labels, '_sum'), family.line(labels, '_count')];
  return (values) => {
    family.add(
      sum,
      values.reduce((all, value) => all + value, 0),
    );
    family.add(count, values.length);
  };
}

/** What is made of label values, made once: to write the texts of a histogram takes longer than to count in it. */
function remembered<Made>(
  names: readonly string[],
  make: (labels: Labels) => Made,
): (values: readonly string[]) => Made {
  const known = new Map<string, Made>();
  return (values) => {
    const key = values.join('\0');
    const labels = () => Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
    const made = known.get(key) ?? make(labels());
    known.set(key, made);
    return made;
  };
}
