import {
  Alias,
  Composer,
  CST,
  type Document,
  type DocumentOptions,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type Node,
  type Pair,
  type ParseOptions,
  Parser,
  type Scalar,
  type SchemaOptions,
  type YAMLMap,
  YAMLParseError,
  type YAMLSeq,
} from 'yaml';

/** The list that may be long: each of its items is a part of its document. All else is short. */
const LONG_LIST = 'accounts';

/** Lexemes that are parsed in a step: some 50 µs. */
const LEXEMES = 64;

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** Parses YAML as `parseDocument` does, but in steps; items of the long list are composed each apart and put together again. */
export function* parseInSteps(
  text: string,
  lines: LineCounter,
  options: YamlOptions,
): Generator<undefined, Document> {
  const composer = new Composer(options);
  const documents: Document[] = [];
  const items: CST.Document[] = [];
  let hasDirectives = false;
  for (const token of yield* tokensInSteps(text, lines)) {
    hasDirectives ||= token.type === 'directive';
    if (token.type === 'document' && !hasDirectives) items.push(...takeOutItems(token));
    documents.push(...composer.next(token));
  }
  documents.push(...composer.end(true, text.length));
  const [document, another] = documents;
  if (document === undefined) throw new Error('unreachable: the composer ends with a document');
  const list = longList(document);
  if (items.length > 0) list?.items.splice(0);
  for (const item of items) {
    const [part] = [...new Composer(options).compose([item])];
    if (part === undefined) continue;
    if (isSeq(part.contents)) list?.items.push(...part.contents.items.slice(-1));
    document.errors.push(...part.errors);
    document.warnings.push(...part.warnings);
    yield;
  }
  if (another !== undefined) {
    const [start, end] = another.range ?? [text.length, text.length];
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'more than one document'));
  }
  return document;
}

function* tokensInSteps(text: string, lines: LineCounter): Generator<undefined, CST.Token[]> {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    count += 1;
    if (count % LEXEMES === 0) yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The items of the long list, each as a document of its own: a list that ends with it. None where they cannot be told apart. */
function takeOutItems({ value: root }: CST.Document): CST.Document[] {
  if (root?.type !== 'block-map' && root?.type !== 'flow-collection') return [];
  // A key that is no good text is told where the document is composed.
  const found = [...root.items.entries()].filter(
    ([, { key }]) =>
      CST.isScalar(key) && CST.resolveAsScalar(key, true, () => undefined)?.value === LONG_LIST,
  );
  const [[index, { value: list }] = [0, {}]] = found;
  if (found.length !== 1) return [];
  if (list?.type === 'block-seq') return itemsOfBlock(list, root.items[index + 1]);
  return list?.type === 'flow-collection' ? itemsInBrackets(list) : [];
}

function documentOf(value: CST.BlockSequence | CST.FlowCollection, offset: number): CST.Document {
  // Indented as it is, the list around an item makes it the same as in its place.
  return { type: 'document', offset, start: [], value: { ...value, offset } };
}

/** A list of lines. One empty item stays, where the next key begins: else the composer takes what is between for the key's. */
function itemsOfBlock(
  list: CST.BlockSequence,
  next: CST.BlockMap['items'][number] | CST.FlowCollection['items'][number] | undefined,
): CST.Document[] {
  const end = next?.start[0]?.offset ?? next?.key?.offset;
  const items = list.items.splice(0);
  if (end !== undefined) {
    const indicator = { type: 'seq-item-ind', offset: end - 1, indent: list.indent, source: '-' } as const;
    list.items.push({ start: [indicator] });
  }
  return items.map((item) => documentOf({ ...list, items: [item] }, item.start[0]?.offset ?? list.offset));
}

const BETWEEN: readonly string[] = ['comma', 'space', 'newline'];

/** A list in brackets, as JSON writes it. A further item stands before each, since it begins with the comma between them. */
function itemsInBrackets(list: CST.FlowCollection): CST.Document[] {
  const { indent, start, items } = list;
  const isPlain = items.every(({ start: before, key, sep, value }, index) => {
    const isTrailing = index === items.length - 1 && before.every(({ type }) => BETWEEN.includes(type));
    return key === undefined && sep === undefined && (value !== undefined || isTrailing);
  });
  if (start.source !== '[' || list.end[0]?.source !== ']' || !isPlain) return [];
  return items.splice(0).flatMap((item, index) => {
    const offset = item.start[0]?.offset ?? item.value?.offset;
    if (item.value === undefined || offset === undefined) return [];
    const before: CST.CollectionItem = { start: [], value: { type: 'scalar', offset, indent, source: '0' } };
    const end = { type: 'flow-seq-end', offset, indent, source: ']' } as const;
    return documentOf({ ...list, items: index === 0 ? [item] : [before, item], end: [end] }, offset);
  });
}

/** The long list of a document, if it has one, once. */
function longList({ contents: root }: Document): YAMLSeq | undefined {
  if (!isMap(root)) return undefined;
  const found = root.items.filter(({ key }) => isScalar(key) && key.value === LONG_LIST);
  const [pair] = found;
  return found.length === 1 && isSeq(pair?.value) ? pair.value : undefined;
}

function isNode(node: unknown): node is Node {
  return isAlias(node) || isMap(node) || isSeq(node) || isScalar(node);
}

/** A document without aliases as plain data, a part a step. */
export function* plainInSteps(document: Document): Generator<undefined, unknown> {
  const long = longList(document);
  if (long === undefined) return document.toJS();
  const items = long.items.splice(0);
  const plain: unknown = document.toJS();
  long.items.push(...items);
  const list: unknown[] = [];
  for (const item of items) {
    list.push(isNode(item) ? item.toJS(document) : item);
    yield;
  }
  return { ...Object(plain), [LONG_LIST]: list };
}

/** What is wrong with the YAML, in words that repeat nothing of the file, since that may be a secret. */
export const YAML_PROBLEMS: Readonly<Record<ErrorCode, string>> = {
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

/** A mistake in how a document is put together, by its offset in the text. */
interface Misplaced {
  readonly offset: number;
  readonly message: string;
  /** Whether the document can be read all the same. */
  readonly readable: boolean;
}

/** What has an anchor, and how many values it is, written out: none yet inside of it. */
interface Anchored {
  readonly node: YAMLMap | YAMLSeq | Scalar;
  values?: number;
}

/** By escapes a text may have half of a surrogate pair, which no file, address or key of the state can hold. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const HALVED = 'this text has an escape sequence that is half of a character';

/** With aliases written out: as many as the largest file could hold without, two characters each. */
const MOST_VALUES = 2 * 1024 * 1024;

/**
 * What the YAML library accepts and then fails on: aliases and merge keys that lead nowhere, aliases that make a small file
 * a large one. And keys that occur twice, which the library looks for in quadratic time, as it does for what an alias
 * stands for: each is told. An item of the long list a step.
 * @param onText given each text that is no key, and what it stands in, from the document down
 */
export function* structureOf(
  document: Document,
  onText: (text: Scalar, chain: readonly unknown[]) => void,
): Generator<undefined, { readonly misplaced: readonly Misplaced[]; readonly hasAliases: boolean }> {
  const long = longList(document);
  const found: Misplaced[] = [];
  const merges: Pair[] = [];
  /** What has had an anchor of a name last. */
  const anchors = new Map<string, Anchored>();
  let hasAliases = false;
  /** Of what has been gone through, with aliases written out. */
  let values = 0;
  const follow = (alias: Alias): void => {
    hasAliases = true;
    const target = anchors.get(alias.source);
    const isWhole = target?.values !== undefined;
    if (!isWhole) found.push(lostAlias(alias, target));
    lead(alias, isWhole ? target.node : undefined);
    values += target?.values ?? 0;
  };
  const lookAt = (scalar: Scalar, chain: readonly unknown[], isKey: boolean): void => {
    if (typeof scalar.value !== 'string') return;
    if (HALF_CHARACTER.test(scalar.value))
      found.push({ offset: scalar.range?.[0] ?? 0, message: HALVED, readable: true });
    if (!isKey) onText(scalar, chain);
  };
  function* look(node: unknown, above: readonly unknown[], isKey = false): Generator<undefined, void> {
    const chain = [...above, node];
    if (isAlias(node)) follow(node);
    else if (isPair(node)) {
      if (isMergeKey(node.key)) merges.push(node);
      yield* look(node.key, chain, true);
      yield* look(node.value, chain);
    } else if (isMap(node) || isSeq(node) || isScalar(node)) {
      const anchored: Anchored = { node };
      if (node.anchor !== undefined) anchors.set(node.anchor, anchored);
      const before = values;
      values += 1;
      if (!isScalar(node)) yield* lookInto(node, chain);
      else lookAt(node, chain, isKey);
      anchored.values = values - before;
    }
  }
  function* lookInto(node: YAMLMap | YAMLSeq, chain: readonly unknown[]): Generator<undefined, void> {
    if (isMap(node)) found.push(...repeatedKeys(node));
    for (const item of node.items) {
      if (node === long) yield;
      yield* look(item, chain);
    }
  }
  // In the order of the document.
  yield* look(document.contents, [document]);
  if (hasAliases && values > MOST_VALUES)
    found.push({ offset: 0, message: 'has too many aliases', readable: false });
  else found.push(...merges.flatMap((pair) => badMerge(pair, document)));
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

function lostAlias({ range }: Alias, target: Anchored | undefined): Misplaced {
  const message =
    target === undefined
      ? 'no anchor of this name comes before'
      : 'an alias cannot stand inside what it repeats';
  return { offset: range?.[0] ?? 0, message, readable: false };
}

/** Tells the library what an alias stands for, if anything: it would look through the document. */
function lead(alias: Alias, target: Anchored['node'] | undefined): void {
  alias.resolve = (document, context) => {
    if (context === undefined || target === undefined) return target;
    context.aliasResolveCache = [target as Node];
    return Alias.prototype.resolve.call(alias, document, context);
  };
}

/** What an alias that is lost stands for is told of the alias. */
function badMerge({ key, value }: Pair, document: Document): Misplaced[] {
  const resolved = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  const isGood = (node: unknown) => node === undefined || isMap(node);
  const source = resolved(value);
  if (isSeq(source) ? source.items.every((item) => isGood(resolved(item))) : isGood(source)) return [];
  const message = 'a merge key takes a mapping, or a list of mappings';
  return [{ offset: isScalar(key) ? (key.range?.[0] ?? 0) : 0, message, readable: false }];
}

/** Whether a key is `<<`, which stands for the keys of another mapping. In quotes it is a key as any other. */
export function isMergeKey(key: unknown): key is Scalar {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN';
}
