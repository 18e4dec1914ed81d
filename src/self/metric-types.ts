import type { LiveFamily } from '../exposition/live-series.ts';
import { formatThreshold, writeLabels } from '../exposition/sample-text.ts';

/** One value for each of some label names. */
export type LabelValues<Names extends readonly string[]> = { readonly [Name in keyof Names]: string };

/** A counter or a gauge. Without label names it is 0 from the start. */
export class Measure<Names extends readonly string[]> {
  readonly #family: LiveFamily;
  readonly #textOf: (labels: readonly string[]) => string;
  #replaced = new Set<string>();

  constructor(family: LiveFamily, names: Names) {
    this.#family = family;
    this.#textOf = remembered((labels) => labelText(names, labels));
    if (names.length === 0) family.set('', 0);
  }

  /** The value for these labels; undefined before the first. */
  value(...labels: LabelValues<Names>): number | undefined {
    return this.#family.value(this.#textOf(labels));
  }

  add(amount: number, ...labels: LabelValues<Names>): void {
    this.#family.add(this.#textOf(labels), amount);
  }

  set(value: number, ...labels: LabelValues<Names>): void {
    this.#family.set(this.#textOf(labels), value);
  }

  remove(...labels: LabelValues<Names>): void {
    this.#family.remove(this.#textOf(labels));
  }

  /** Sets values one after another; at the end those go that were set the last time and are not now. */
  replacing(): { set(value: number, ...labels: LabelValues<Names>): void; end(): void } {
    const former = this.#replaced;
    this.#replaced = new Set();
    return {
      set: (value, ...labels) => {
        const text = this.#textOf(labels);
        this.#replaced.add(text);
        this.#family.set(text, value);
      },
      end: () => {
        for (const text of former) if (!this.#replaced.has(text)) this.#family.remove(text);
      },
    };
  }
}

/** A histogram. */
export class Distribution<Names extends readonly string[]> {
  readonly #family: LiveFamily;
  readonly #bounds: readonly number[];
  readonly #textsOf: (labels: readonly string[]) => DistributionTexts;

  constructor(family: LiveFamily, names: Names, buckets: readonly number[]) {
    this.#family = family;
    this.#bounds = [...buckets, Number.POSITIVE_INFINITY];
    this.#textsOf = remembered((labels) => ({
      buckets: this.#bounds.map(
        (bound) => `_bucket${labelText([...names, 'le'], [...labels, formatThreshold(bound)])}`,
      ),
      totals: totalsTexts(names, labels),
    }));
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    this.observeAll([value], ...labels);
  }

  /** Each line changes once, however many values there are. */
  observeAll(values: readonly number[], ...labels: LabelValues<Names>): void {
    if (values.length === 0) return;
    const { buckets, totals } = this.#textsOf(labels);
    for (const [index, bound] of this.#bounds.entries()) {
      this.#family.add(buckets[index] ?? '', values.filter((value) => value <= bound).length);
    }
    observeTotals(this.#family, totals, values);
  }
}

interface DistributionTexts {
  readonly buckets: readonly string[];
  readonly totals: TotalsTexts;
}

/** The quantile covers this many observations. */
const RECENT = 32;
const QUANTILE = 0.95;

/** A summary: sum, count, and a quantile of the most recent observations. Three lines where a histogram takes a dozen. */
export class RecentSummary<Names extends readonly string[]> {
  readonly #family: LiveFamily;
  readonly #of: (labels: readonly string[]) => Recent;

  constructor(family: LiveFamily, names: Names) {
    this.#family = family;
    this.#of = remembered((labels) => ({
      values: [],
      quantile: labelText([...names, 'quantile'], [...labels, String(QUANTILE)]),
      totals: totalsTexts(names, labels),
    }));
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    const { values, quantile, totals } = this.#of(labels);
    values.push(value);
    if (values.length > RECENT) values.shift();
    this.#family.set(quantile, quantileOf(values));
    observeTotals(this.#family, totals, [value]);
  }
}

interface Recent {
  readonly values: number[];
  readonly quantile: string;
  readonly totals: TotalsTexts;
}

/** The smallest of the values that at least this share of them do not exceed. */
function quantileOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(QUANTILE * sorted.length) - 1] ?? Number.NaN;
}

/** The texts of the lines that tell the sum and the count of what was observed. */
interface TotalsTexts {
  readonly sum: string;
  readonly count: string;
}

function totalsTexts(names: readonly string[], labels: readonly string[]): TotalsTexts {
  const text = labelText(names, labels);
  return { sum: `_sum${text}`, count: `_count${text}` };
}

function observeTotals(family: LiveFamily, { sum, count }: TotalsTexts, values: readonly number[]): void {
  family.add(
    sum,
    values.reduce((all, value) => all + value, 0),
  );
  family.add(count, values.length);
}

/** A label with an empty value is to Prometheus the same as no label. */
function labelText(names: readonly string[], values: readonly string[]): string {
  const labels = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  return writeLabels(
    names.filter((name) => labels[name] !== ''),
    labels,
  );
}

/** What was made of some label values, and what follows them. */
interface Remembered<Made> {
  made?: Made;
  following?: Map<string, Remembered<Made>>;
}

/**
 * What is made of label values, made once: to write the texts of a histogram takes longer than to count in it. Found by
 * one label after the other: a key of all of them would be written for each event.
 */
function remembered<Made>(make: (labels: readonly string[]) => Made): (labels: readonly string[]) => Made {
  const root: Remembered<Made> = {};
  return (labels) => {
    let at = root;
    for (const label of labels) {
      at.following ??= new Map();
      const next = at.following.get(label) ?? {};
      at.following.set(label, next);
      at = next;
    }
    at.made ??= make(labels);
    return at.made;
  };
}
