import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import {
  Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { type Environment, interpolate, withKeys } from './environment.ts';
import { type ConfigIssue, type ConfigPath, formatPath, type UnplacedIssue } from './issue.ts';

/** Maximum size of a file: that of a file with ten thousand accounts. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Text of a configuration file, or the reason why it cannot be read. */
type ConfigText = { readonly text: string } | { readonly problem: string };

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file cannot be read: permission denied',
  EPERM: 'the file cannot be read: permission denied',
  EISDIR: 'expected a file, found a directory',
};

/** Reads a file or pipe, at most up to the maximum size. */
export async function readConfigFile(path: string): Promise<ConfigText> {
  try {
    const pieces: Buffer[] = [];
    // One byte more than the maximum shows that the file is too large.
    for await (const piece of createReadStream(path, { end: LARGEST_BYTES })) pieces.push(piece);
    return decode(Buffer.concat(pieces));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { problem: PROBLEMS[code] ?? `the file cannot be read: ${code}` };
  }
}

/** Returns a hash of the text, which may contain secrets. */
export function digestOf(read: ConfigText): string {
  return 'problem' in read ? read.problem : createHash('sha256').update(read.text).digest('hex');
}

function decode(bytes: Buffer): ConfigText {
  if (bytes.length > LARGEST_BYTES) return { problem: 'the file is too large: expected at most 4 MiB' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'expected text, found binary data' } : { text };
  } catch {
    // The decoder throws only for bytes that are not UTF-8.
    return { problem: 'expected text in UTF-8, found other data' };
  }
}

/** Content of a YAML file, with the position of each part. */
interface YamlFile {
  /** Parsed content, with variables replaced; undefined if the YAML is invalid. */
  readonly value: unknown;
  readonly issues: readonly ConfigIssue[];
  /** Returns the finding as an issue at its line, or at that of the nearest existing part above it. */
  readonly place: (finding: UnplacedIssue) => ConfigIssue;
}

/** Messages for mistakes of YAML. They repeat nothing of the file, because it may contain secrets. */
const YAML_PROBLEMS: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_DQ_ESCAPE: 'this escape sequence is not valid in double quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'text cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping or list cannot stand here: check the colons and the indentation',
  MISSING_CHAR: 'a quote, comma, colon, hyphen or space is missing, or the indentation does not fit',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line: check the colons and the quotes',
  MULTIPLE_DOCS: 'expected a single document: remove what follows "---"',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'tabs cannot indent: use spaces',
  TAG_RESOLVE_FAILED: 'this tag is unknown, or what follows it does not fit',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** Maximum of the uses of aliases times the nodes that they repeat: ten thousand accounts may each repeat a hundred. */
const MOST_REPEATED = 1_000_000;

/**
 * Parses YAML with merge keys.
 * @param source name of the file in the issues
 * @param env variables that replace `${NAME}` in texts; without it, texts stay unchanged
 * @param version version of YAML
 */
export function readYaml(
  text: string,
  source: string,
  { env, version = '1.2' }: { readonly env?: Environment; readonly version?: '1.1' | '1.2' },
): YamlFile {
  const lineCounter = new LineCounter();
  const options = { lineCounter, version, merge: true, stringKeys: true, uniqueKeys: false } as const;
  const document = parseDocument(text, { ...options, prettyErrors: false, logLevel: 'error' });
  const issueAt = (offset: number, message: string, path = ''): ConfigIssue => {
    const { line, col } = lineCounter.linePos(offset);
    return { source, line: Math.max(1, line), column: Math.max(1, col), path, message };
  };
  const mistakes = [...document.errors, ...document.warnings];
  const tooDeep = mistakes.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  const issues = (tooDeep === undefined ? mistakes : [tooDeep]).map(({ code, pos }) =>
    issueAt(pos[0], YAML_PROBLEMS[code] ?? 'this is not valid YAML'),
  );
  const { targets, repeated, lost } = look(document);
  issues.push(...repeated.map((key) => issueAt(startOf(key), 'this key occurs twice in its mapping')));
  issues.push(...lost.map(({ node, message }) => issueAt(startOf(node), message)));
  const place = ({ path, at, message }: UnplacedIssue) =>
    issueAt(offsetOf(document, path, at, targets), withKeys(message), formatPath(path));
  if (document.errors.length > 0 || lost.length > 0) return { value: undefined, issues, place };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MOST_REPEATED });
    const say = (path: ConfigPath, message: string) =>
      void issues.push(place({ path, at: 'value', message }));
    return { value: filledIn(value, env, [], say), issues, place };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { value: undefined, issues: [...issues, issueAt(0, 'has too many aliases')], place };
  }
}

/** Nodes to which aliases refer. */
type Targets = ReadonlyMap<Alias, Node>;

/** Findings that the library does not report with a position: repeated keys, and aliases and merge keys without a target. */
interface Look {
  readonly targets: Targets;
  readonly repeated: readonly unknown[];
  readonly lost: readonly { readonly node: unknown; readonly message: string }[];
}

function look(document: Document): Look {
  const targets = new Map<Alias, Node>();
  const repeated: unknown[] = [];
  const lost: { node: unknown; message: string }[] = [];
  const anchors = new Map<string, Node>();
  const resolved = (node: unknown) =>
    isAlias(node) ? (targets.get(node) ?? anchors.get(node.source)) : node;
  visit(document, {
    Alias: (_, alias, above) => {
      const target = anchors.get(alias.source);
      if (target === undefined) lost.push({ node: alias, message: 'no anchor of this name comes before' });
      else if (above.some((node) => node === target))
        lost.push({ node: alias, message: 'an alias cannot stand inside what it repeats' });
      else {
        targets.set(alias, target);
        lead(alias, target);
      }
    },
    Pair: (_, { key, value }) => {
      const from = resolved(value);
      const maps = isSeq(from) ? from.items.map(resolved) : [from];
      if (isMergeKey(key) && !maps.every((node) => node === undefined || isMap(node)))
        lost.push({ node: key, message: 'a merge key takes a mapping, or a list of mappings' });
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (!isMap(node)) return;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) repeated.push(key);
        seen.add(name);
      }
    },
  });
  return { targets, repeated, lost };
}

/** Resolves an alias for the library, which would search the whole document for each. */
function lead(alias: Alias, target: Node): void {
  alias.resolve = (document, context) => {
    if (context === undefined) return target as ReturnType<Alias['resolve']>;
    context.aliasResolveCache = [target];
    return Alias.prototype.resolve.call(alias, document, context);
  };
}

/** Returns true for the key `<<`, which merges the keys of another mapping. In quotes it is an ordinary key. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN';
}

/** Returns data with variables replaced. This follows parsing, so that no value is parsed as YAML. */
function filledIn(
  value: unknown,
  env: Environment | undefined,
  path: ConfigPath,
  say: (path: ConfigPath, problem: string) => void,
): unknown {
  if (typeof value === 'string') {
    const { text, problems } = env === undefined ? { text: value, problems: [] } : interpolate(value, env);
    for (const problem of problems) say(path, problem);
    // No file, URL or key of the state can contain an unpaired surrogate.
    if (/\p{Surrogate}/u.test(text)) say(path, 'has an escape sequence that is half of a character');
    return text;
  }
  if (Array.isArray(value)) return value.map((item, index) => filledIn(item, env, [...path, index], say));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, inner]) => [key, filledIn(inner, env, [...path, key], say)]));
}

interface Entry {
  readonly key: unknown;
  readonly value: unknown;
}

function offsetOf(document: Document, path: ConfigPath, at: UnplacedIssue['at'], targets: Targets): number {
  let here: Entry = { key: undefined, value: document.contents };
  for (const step of path) {
    const next = entryOf(here.value, step, targets);
    if (next === undefined) return startOf(here.key, here.value);
    here = next;
  }
  return at === 'key' ? startOf(here.key, here.value) : startOf(here.value, here.key);
}

/** Returns the offset of the first of the nodes that has one. */
function startOf(...nodes: readonly unknown[]): number {
  const ranges = nodes.map((node) => Object(node).range as Node['range']);
  return ranges.find((range) => Array.isArray(range))?.[0] ?? 0;
}

/** Returns the entry at `step` below a node, after resolving aliases and merge keys. */
function entryOf(node: unknown, step: string | number, targets: Targets): Entry | undefined {
  const target = isAlias(node) ? targets.get(node) : node;
  if (isSeq(target))
    return typeof step === 'number' ? { key: undefined, value: target.items[step] } : undefined;
  if (!isMap(target)) return undefined;
  const own = target.items.find(({ key }) => isScalar(key) && key.value === step);
  if (own !== undefined) return own;
  const merged = target.items.filter(({ key }) => isMergeKey(key));
  const sources = merged.flatMap(({ value }) => (isSeq(value) ? value.items : [value]));
  for (const from of sources) {
    const entry = entryOf(from, step, targets);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Content of a configuration, or of a part of it, before validation. */
export interface Written extends YamlFile {
  readonly source: string;
  /** Folder to which its paths are relative. */
  readonly directory: string;
}

/** Parses the contents of a file, without its top-level `x-` keys, which hold anchors as in compose files. */
export function written(source: string, read: ConfigText, env: Environment): Written {
  const common = { source, directory: dirname(source) };
  if ('problem' in read) {
    const place = ({ message }: Pick<UnplacedIssue, 'message'>) => ({ source, path: '', message });
    return { ...common, value: undefined, issues: [place({ message: read.problem })], place };
  }
  const file = readYaml(read.text, source, { env });
  return { ...common, ...file, value: withoutExtensions(file.value) };
}

function withoutExtensions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-')));
}

/** Returns the mistakes except those at the position of a variable's mistake, which causes them. */
export function besides(issues: readonly ConfigIssue[], found: readonly ConfigIssue[]): ConfigIssue[] {
  // An environment variable corresponds to a line of a file.
  const placeOf = ({ line, column, path }: ConfigIssue) => (line === undefined ? path : `${line}:${column}`);
  const places = new Set(issues.map(placeOf));
  return found.filter((issue) => !places.has(placeOf(issue)));
}
