import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';

/** A mistake in how a document is put together, by its offset in the text. */
export interface Misplaced {
  readonly offset: number;
  readonly message: string;
  /** Whether the document can be read all the same. */
  readonly readable: boolean;
}

/**
 * What the YAML library accepts and then fails on: aliases and merge keys that lead nowhere. And keys that occur twice,
 * which the library looks for in quadratic time.
 */
export function misplaced(document: Document): Misplaced[] {
  const found: Misplaced[] = [];
  visit(document, {
    Map: (_key, map) => void found.push(...repeatedKeys(map)),
    Alias: (_key, alias, ancestors) => void found.push(...lostAlias(document, alias, ancestors)),
    Pair: (_key, pair) => void found.push(...badMerge(document, pair)),
  });
  return found;
}

function repeatedKeys(map: YAMLMap): Misplaced[] {
  const seen = new Set<unknown>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const repeated = seen.has(key.value);
    seen.add(key.value);
    const message = 'this key occurs twice in its mapping';
    return repeated ? [{ offset: key.range?.[0] ?? 0, message, readable: true }] : [];
  });
}

function lostAlias(document: Document, alias: Alias, ancestors: readonly unknown[]): Misplaced[] {
  const target = alias.resolve(document);
  if (target !== undefined && !ancestors.includes(target)) return [];
  const message =
    target === undefined
      ? 'no anchor of this name comes before'
      : 'an alias cannot stand inside what it repeats';
  return [{ offset: alias.range?.[0] ?? 0, message, readable: false }];
}

function badMerge(document: Document, { key, value }: Pair): Misplaced[] {
  if (!isMergeKey(key)) return [];
  const resolved = isAlias(value) ? value.resolve(document) : value;
  const sources = isSeq(resolved) ? resolved.items : [resolved];
  const mappings = sources.every((source) => isMap(isAlias(source) ? source.resolve(document) : source));
  const message = 'a merge key takes a mapping, or a list of mappings';
  return mappings ? [] : [{ offset: key.range?.[0] ?? 0, message, readable: false }];
}

/** Whether a key is `<<`, which stands for the keys of another mapping. In quotes it is a key as any other. */
export function isMergeKey(key: unknown): key is Scalar {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN';
}
