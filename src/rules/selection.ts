import type { AlertKind } from './alert-catalogue.ts';
import type { Selection } from './alert-settings.ts';
import type { Matcher } from './promql.ts';

export type Level = AlertKind['level'];

/** The labels that series of a level are told apart by. */
export const LABELS_OF: Readonly<Record<Level, readonly string[]>> = {
  configuration: ['account', 'product', 'configuration'],
  account: ['account'],
  exporter: [],
};

/** Whether series of these labels can be told by what a selection goes by. */
export function applies(where: Selection, labels: readonly string[]): boolean {
  const { accounts, products, configurations } = where;
  const needed = { account: accounts, product: products, configuration: configurations };
  return Object.entries(needed).every(([label, names]) => names === undefined || labels.includes(label));
}

/** A selection as matchers. */
export function matchersOf({ accounts, products, configurations }: Selection): readonly Matcher[] {
  const lists = { account: accounts, product: products, configuration: configurations };
  return Object.entries(lists).flatMap(([label, names]) =>
    names === undefined ? [] : [matcher(label, names)],
  );
}

function matcher(label: string, names: readonly string[]): Matcher {
  const [only] = names;
  if (names.length === 1 && only !== undefined && !/[*?{]/.test(only)) {
    return { label, operator: '=', value: only };
  }
  return { label, operator: '=~', value: names.map(pattern).join('|') };
}

/** A glob as a regular expression of RE2, which Prometheus anchors. */
function pattern(glob: string): string {
  return glob.replaceAll(/[.+^$|()[\]\\*?{},]/g, (character) => TRANSLATED[character] ?? `\\${character}`);
}

const TRANSLATED: Readonly<Record<string, string>> = { '*': '.*', '?': '.', '{': '(?:', '}': ')', ',': '|' };

/** What keeps a name from being a pattern, if anything. */
export function globMistake(glob: string): string | undefined {
  const depths = [...glob].map((character) => ({ '{': 1, '}': -1 })[character] ?? 0);
  let depth = 0;
  const balanced = depths.every((change) => {
    depth += change;
    return depth === 0 || depth === 1;
  });
  if (!balanced || depth !== 0) return 'expected braces that are closed and not nested: "{shop,blog}-*"';
  return /[[\]!()]/.test(glob) ? 'only *, ? and {a,b} stand for other characters' : undefined;
}
