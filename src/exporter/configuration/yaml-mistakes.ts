import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { partsOf } from './yaml-steps.ts';

const PROBLEMS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias can have neither a tag nor an anchor of its own',
  BAD_ALIAS: 'this alias or anchor is malformed',
  BAD_COLLECTION_TYPE: 'this tag does not fit what follows it',
  BAD_DIRECTIVE: 'this directive is malformed',
  BAD_DQ_ESCAPE: 'this escape sequence is not valid in double quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_PROP_ORDER: 'anchors and tags belong after the indicator',
  BAD_SCALAR_START: 'text cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping or list cannot stand here: check the colons and the indentation',
  BLOCK_IN_FLOW: 'indented blocks cannot stand inside brackets',
  DUPLICATE_KEY: 'this key occurs twice in its mapping',
  IMPOSSIBLE: 'this is not valid YAML',
  KEY_OVER_1024_CHARS: 'this key is too long',
  MISSING_CHAR: 'a quote, comma, colon, hyphen or space is missing, or the indentation does not fit',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line: check the colons and the quotes',
  MULTIPLE_ANCHORS: 'only one anchor can stand here',
  MULTIPLE_DOCS: 'expected a single document: remove what follows "---"',
  MULTIPLE_TAGS: 'only one tag can stand here',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'tabs cannot indent: use spaces',
  TAG_RESOLVE_FAILED: 'this tag is unknown, or what follows it does not fit',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** What is wrong with the YAML, in words that repeat nothing of the file, since that may be a secret. */
export function yamlProblem(code: ErrorCode): string {
  return PROBLEMS[code];
}

/** A mistake in how a document is put together, by its offset in the text. */
export interface Misplaced {
  readonly offset: number;
  readonly message: string;
  /** Whether the document can be read all the same. */
  readonly readable: boolean;
}

/** What is wrong with how a document is put together, and whether it has aliases. */
export interface Structure {
  readonly misplaced: readonly Misplaced[];
  readonly hasAliases: boolean;
}

/**
 * What the YAML library accepts and then fails on: aliases and merge keys that lead nowhere. And keys that occur twice,
 * which the library looks for in quadratic time, as it does for what an alias stands for. A part of the document a step.
 */
export function* structureOf(document: Document): Generator<undefined, Structure> {
  const found: Misplaced[] = [];
  /** What each anchor stands for so far. */
  const anchors = new Map<string, Node>();
  let hasAliases = false;
  const remember = (node: unknown) => {
    const isAnchored = (isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined;
    if (isAnchored && node.anchor !== undefined) anchors.set(node.anchor, node);
  };
  for (const { node, above } of partsOf(document)) {
    if (node === undefined) {
      // The beginning of what the parts that follow stand in.
      const inner = above.at(-1);
      remember(inner);
      if (isMap(inner)) {
        found.push(...repeatedKeys(inner), ...inner.items.flatMap((pair) => badMerge(document, pair)));
      }
      continue;
    }
    visit(node, {
      Map: (_key, map) => {
        remember(map);
        found.push(...repeatedKeys(map));
      },
      Seq: (_key, seq) => remember(seq),
      Scalar: (_key, scalar) => remember(scalar),
      Alias: (_key, alias, ancestors) => {
        hasAliases = true;
        found.push(...lostAlias(alias, anchors, [...above, ...ancestors]));
      },
      Pair: (_key, pair) => void found.push(...badMerge(document, pair)),
    });
    yield;
  }
  return { misplaced: found, hasAliases };
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

function lostAlias(
  alias: Alias,
  anchors: ReadonlyMap<string, Node>,
  ancestors: readonly unknown[],
): Misplaced[] {
  const target = anchors.get(alias.source);
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
