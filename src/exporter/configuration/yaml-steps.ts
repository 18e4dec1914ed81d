import {
  Composer,
  CST,
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  YAMLParseError,
  type YAMLSeq,
} from 'yaml';

/** The list that may be long: each of its items is a part of its document. All else is short. */
const LONG_LIST = 'accounts';

/** Lexemes that are parsed in a step: some 50 µs. */
const LEXEMES = 64;

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Parses YAML as the library's `parseDocument` does, but in steps: that takes a third of a second in one go for a thousand
 * accounts. Items of the long list are composed each apart and put together again.
 */
export function* parseInSteps(
  text: string,
  lines: LineCounter,
  options: YamlOptions,
): Generator<undefined, Document> {
  const composer = new Composer(options);
  const documents: Document[] = [];
  const items: CST.BlockSequence[] = [];
  let hasDirectives = false;
  for (const token of yield* tokensInSteps(text, lines)) {
    hasDirectives ||= token.type === 'directive';
    if (token.type === 'document' && !hasDirectives) items.push(...takeOutItems(token));
    documents.push(...composer.next(token));
  }
  documents.push(...composer.end(true, text.length));
  const [document, another] = documents;
  if (document === undefined) throw new Error('unreachable: the composer ends with a document');
  const list = longList(document)?.list;
  if (items.length > 0) list?.items.splice(0);
  for (const item of items) {
    // Indented as they are, the list around an item makes it the same as in its place.
    const [part] = [
      ...new Composer(options).compose([{ type: 'document', offset: item.offset, start: [], value: item }]),
    ];
    if (part === undefined) continue;
    if (isSeq(part.contents)) list?.items.push(...part.contents.items);
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

/**
 * The items of the long list as lists of one each. The list is left with one that is empty, where the key that follows
 * begins: the composer would take what is between them for a part of that key.
 */
function takeOutItems({ value }: CST.Document): CST.BlockSequence[] {
  if (value?.type !== 'block-map') return [];
  const lists = value.items.flatMap(({ key, value: list }, index) =>
    CST.isScalar(key) && key.source === LONG_LIST && list?.type === 'block-seq' ? [{ list, index }] : [],
  );
  const [found] = lists;
  if (found === undefined || lists.length > 1) return [];
  const { list, index } = found;
  const next = value.items[index + 1];
  const end = next?.start[0]?.offset ?? next?.key?.offset;
  const items = list.items.splice(0);
  if (end !== undefined) {
    const indicator = { type: 'seq-item-ind', offset: end - 1, indent: list.indent, source: '-' } as const;
    list.items.push({ start: [indicator] });
  }
  return items.map((item) => ({ ...list, offset: item.start[0]?.offset ?? list.offset, items: [item] }));
}

/** The long list of a document and where it stands, if it has one, once. */
function longList(
  document: Document,
): { readonly list: YAMLSeq; readonly above: readonly unknown[] } | undefined {
  const root = document.contents;
  if (!isMap(root)) return undefined;
  const found = root.items.filter(({ key }) => isScalar(key) && key.value === LONG_LIST);
  const [pair] = found;
  if (pair === undefined || found.length > 1 || !isSeq(pair.value)) return undefined;
  return { list: pair.value, above: [document, root, pair, pair.value] };
}

/** A part of a document that can be looked at in one step. */
export interface Part {
  /** Undefined where that begins which the parts that follow stand in: the last of `above`. */
  readonly node: Node | undefined;
  /** What it stands in, from the document down. */
  readonly above: readonly unknown[];
}

/** A document in parts, in its order: the items of the long list, and what else stands at the root. */
export function partsOf(document: Document): Part[] {
  const root = document.contents;
  if (root === null) return [];
  if (!isMap(root)) return [{ node: root, above: [document] }];
  const long = longList(document);
  const parts = root.items.flatMap((pair): Part[] => {
    const { key, value } = pair;
    const inPair = (node: unknown): Part[] => (isNode(node) ? [{ node, above: [document, root, pair] }] : []);
    if (long === undefined || value !== long.list)
      return [...(isScalar(key) ? [] : inPair(key)), ...inPair(value)];
    const items = long.list.items.flatMap((node) => (isNode(node) ? [{ node, above: long.above }] : []));
    return [{ node: undefined, above: long.above }, ...items];
  });
  return [{ node: undefined, above: [document, root] }, ...parts];
}

function isNode(node: unknown): node is Node {
  return isAlias(node) || isMap(node) || isSeq(node) || isScalar(node);
}

/** A document without aliases as plain data, a part a step. */
export function* plainInSteps(document: Document): Generator<undefined, unknown> {
  const long = longList(document);
  if (long === undefined) return document.toJS();
  const items = long.list.items.splice(0);
  const plain: unknown = document.toJS();
  long.list.items.push(...items);
  const list: unknown[] = [];
  for (const item of items) {
    list.push(isNode(item) ? item.toJS(document) : item);
    yield;
  }
  return { ...Object(plain), [LONG_LIST]: list };
}
