import type { Labels } from '../catalogue/family.ts';

const NEEDS_ESCAPE = /[\\"\n\ud800-\udfff]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** Returns a label value escaped for the quotes of a sample line. The result is valid UTF-8: a lone surrogate becomes U+FFFD. */
export function escapeLabelValue(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  return value
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');
}

/** Returns the labels of a sample line with braces, or an empty text without labels. @param names order of the labels */
export function writeLabels(names: readonly string[], labels: Labels): string {
  if (names.length === 0) return '';
  const pairs = names.map((name) => `${name}="${escapeLabelValue(labels[name] ?? '')}"`);
  // Joined rather than added up: a string built by `+` keeps its pieces, which costs twice the memory.
  return ['{', pairs.join(','), '}'].join('');
}

/** Maximum length of a label value, in UTF-16 units. Names of the platform are shorter, unless one is wrong. */
export const LONGEST_LABEL_VALUE = 1_024;

/**
 * Returns the labels to expose: without empty ones, and with values that are too long ending in an ellipsis. Returns the same
 * object if nothing changes.
 */
export function shownLabels(labels: Labels): Labels {
  const pairs = Object.entries(labels);
  if (pairs.every(([, value]) => value !== '' && value.length <= LONGEST_LABEL_VALUE)) return labels;
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value === '' ? [] : [[name, shortened(value)]])),
  );
}

function shortened(value: string): string {
  return value.length > LONGEST_LABEL_VALUE ? `${value.slice(0, LONGEST_LABEL_VALUE - 1)}…` : value;
}

/**
 * Texts of labels. Equal texts mean equal series, because all label sets with the same names are written in the order of the first.
 * Values that are too long end in an ellipsis.
 */
export class LabelTexts {
  /** Orders of labels, by their given and by their sorted names. Labels have few sets of names, so both maps stay small. */
  readonly #orders = new Map<string, readonly string[]>();
  /** Number of truncated values, and the first exposed one of each label. */
  shortenedCount = 0;
  readonly shortened = new Map<string, string>();

  of(labels: Labels): string {
    return writeLabels(this.#order(labels), this.#shortened(labels));
  }

  #shortened(labels: Labels): Labels {
    const tooLong = Object.entries(labels).filter(([, value]) => value.length > LONGEST_LABEL_VALUE);
    if (tooLong.length === 0) return labels;
    const shown = tooLong.map(([name, value]) => [name, shortened(value)] as const);
    this.shortenedCount += shown.length;
    for (const [name, value] of shown) if (!this.shortened.has(name)) this.shortened.set(name, value);
    return { ...labels, ...Object.fromEntries(shown) };
  }

  #order(labels: Labels): readonly string[] {
    // Prometheus treats a label with an empty value as absent.
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
