import type { Labels } from '../catalogue/family.ts';

const NEEDS_ESCAPE = /[\\"\n\ud800-\udfff]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/**
 * A label value as it stands between the quotes of a sample line. Any string gives valid UTF-8: a surrogate
 * without its partner, which UTF-8 cannot hold, becomes U+FFFD.
 */
export function escapeLabelValue(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');
}

/** The labels of a sample line, braces included, or nothing where there are none; `names` gives the order. */
export function writeLabels(names: readonly string[], labels: Labels): string {
  if (names.length === 0) return '';
  const pairs = names.map((name) => `${name}="${escapeLabelValue(labels[name] ?? '')}"`);
  // Joined rather than added up: a string built by `+` keeps its pieces, which costs twice the memory.
  return ['{', pairs.join(','), '}'].join('');
}

/** The longest value of a label, in UTF-16 units. Names of the platform are shorter; a mistake in one may not be. */
export const LONGEST_LABEL_VALUE = 1_024;

/** Told of a label whose value is too long; it is given as it is shown. */
export type OnShortened = (name: string, shown: string) => void;

/**
 * The text of labels, kept for as long as their owner keeps the `Labels` object. Equal texts mean equal series, in
 * whatever order two callers name their labels: the order of the first is taken for all label sets of the same names.
 * Values that are too long end in an ellipsis.
 */
export class LabelTexts {
  readonly #texts = new WeakMap<Labels, string>();
  /** By the names as given, and by the names sorted. Labels come in a few shapes, so both stay small. */
  readonly #orders = new Map<string, readonly string[]>();
  readonly #onShortened: OnShortened;

  constructor(onShortened: OnShortened = () => undefined) {
    this.#onShortened = onShortened;
  }

  of(labels: Labels): string {
    const known = this.#texts.get(labels);
    if (known !== undefined) return known;
    const text = writeLabels(this.#order(labels), this.#shortened(labels));
    this.#texts.set(labels, text);
    return text;
  }

  #shortened(labels: Labels): Labels {
    const tooLong = Object.entries(labels).filter(([, value]) => value.length > LONGEST_LABEL_VALUE);
    if (tooLong.length === 0) return labels;
    const shown = tooLong.map(
      ([name, value]) => [name, `${value.slice(0, LONGEST_LABEL_VALUE - 1)}…`] as const,
    );
    for (const [name, value] of shown) this.#onShortened(name, value);
    return { ...labels, ...Object.fromEntries(shown) };
  }

  #order(labels: Labels): readonly string[] {
    // To Prometheus a label with an empty value is the same as no label.
    const names = Object.keys(labels).filter((name) => labels[name] !== '');
    const given = names.join(',');
    const known = this.#orders.get(given);
    if (known !== undefined) return known;
    const sorted = names.toSorted().join(',');
    const order = this.#orders.get(sorted) ?? names;
    this.#orders.set(sorted, order).set(given, order);
    return order;
  }
}
