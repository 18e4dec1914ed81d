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

/**
 * The text of labels, kept for as long as their owner keeps the `Labels` object. Equal texts mean equal series, in
 * whatever order two callers name their labels: the order of the first is taken for all label sets of the same names.
 */
export class LabelTexts {
  readonly #texts = new WeakMap<Labels, string>();
  /** By the names as given, and by the names sorted. Labels come in a few shapes, so both stay small. */
  readonly #orders = new Map<string, readonly string[]>();

  of(labels: Labels): string {
    const known = this.#texts.get(labels);
    if (known !== undefined) return known;
    const text = writeLabels(this.#order(labels), labels);
    this.#texts.set(labels, text);
    return text;
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
