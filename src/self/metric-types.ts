import { writeLabels } from '../exposition/label-text.ts';
import type { LiveFamily } from '../exposition/live-series.ts';
import { formatThreshold } from '../exposition/sample-value.ts';

/** One value for each of some label names. */
export type LabelValues<Names extends readonly string[]> = { readonly [Name in keyof Names]: string };

/** A counter or a gauge. Without label names it is 0 from the start. */
export class Measure<Names extends readonly string[]> {
  readonly #family: LiveFamily;
  readonly #names: Names;
  #replaced = new Set<string>();

  constructor(family: LiveFamily, names: Names) {
    this.#family = family;
    this.#names = names;
    if (names.length === 0) family.set('', 0);
  }

  /** The value for these labels; undefined before the first. */
  value(...labels: LabelValues<Names>): number | undefined {
    return this.#family.value(labelText(this.#names, labels));
  }

  add(amount: number, ...labels: LabelValues<Names>): void {
    const text = labelText(this.#names, labels);
    this.#family.set(text, (this.#family.value(text) ?? 0) + amount);
  }

  set(value: number, ...labels: LabelValues<Names>): void {
    this.#family.set(labelText(this.#names, labels), value);
  }

  remove(...labels: LabelValues<Names>): void {
    this.#family.remove(labelText(this.#names, labels));
  }

  /** Sets values one after another; at the end those go that were set the last time and are not now. */
  replacing(): { set(value: number, ...labels: LabelValues<Names>): void; end(): void } {
    const former = this.#replaced;
    this.#replaced = new Set();
    return {
      set: (value, ...labels) => {
        const text = labelText(this.#names, labels);
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
  readonly #names: readonly string[];
  readonly #bounds: readonly number[];

  constructor(family: LiveFamily, names: Names, buckets: readonly number[]) {
    this.#family = family;
    this.#names = names;
    this.#bounds = [...buckets, Number.POSITIVE_INFINITY];
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    const names = [...this.#names, 'le'];
    for (const bound of this.#bounds) {
      const text = labelText(names, [...labels, formatThreshold(bound)]);
      advance(this.#family, `_bucket${text}`, value <= bound ? 1 : 0);
    }
    observeTotals(this.#family, labelText(this.#names, labels), value);
  }
}

/** The quantile covers this many observations. */
const RECENT = 32;
const QUANTILE = 0.95;

/** A summary: sum, count, and a quantile of the most recent observations. Three lines where a histogram takes a dozen. */
export class RecentSummary<Names extends readonly string[]> {
  readonly #family: LiveFamily;
  readonly #names: Names;
  readonly #recent = new Map<string, number[]>();

  constructor(family: LiveFamily, names: Names) {
    this.#family = family;
    this.#names = names;
  }

  observe(value: number, ...labels: LabelValues<Names>): void {
    const text = labelText(this.#names, labels);
    const recent = this.#recent.get(text) ?? [];
    this.#recent.set(text, recent);
    recent.push(value);
    if (recent.length > RECENT) recent.shift();
    const quantile = labelText([...this.#names, 'quantile'], [...labels, String(QUANTILE)]);
    this.#family.set(quantile, quantileOf(recent));
    observeTotals(this.#family, text, value);
  }
}

/** The smallest of the values that at least this share of them do not exceed. */
function quantileOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(QUANTILE * sorted.length) - 1] ?? Number.NaN;
}

function observeTotals(family: LiveFamily, labels: string, value: number): void {
  advance(family, `_sum${labels}`, value);
  advance(family, `_count${labels}`, 1);
}

function advance(family: LiveFamily, text: string, amount: number): void {
  family.set(text, (family.value(text) ?? 0) + amount);
}

/** A label with an empty value is to Prometheus the same as no label. */
function labelText(names: readonly string[], values: readonly string[]): string {
  const labels = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  return writeLabels(
    names.filter((name) => labels[name] !== ''),
    labels,
  );
}
