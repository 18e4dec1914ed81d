import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Scalar,
} from 'yaml';
import { madeInSlices } from '../slices.ts';
import { type Environment, interpolate, withKeys } from './environment.ts';
import { type ConfigIssue, formatPath, type UnplacedIssue } from './issue.ts';
import { isMergeKey, parseInSteps, plainInSteps, structureOf, YAML_PROBLEMS } from './yaml-steps.ts';

/** Of ten thousand accounts; a larger file is something else. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** The text of a configuration file, or what keeps it from being one. */
type ConfigText = { readonly text: string } | { readonly problem: string };

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file cannot be read: permission denied',
  EPERM: 'the file cannot be read: permission denied',
  EISDIR: 'expected a file, found a directory',
};

/** Reads a file or pipe, never more than a configuration could have. */
export async function readConfigFile(path: string): Promise<ConfigText> {
  try {
    const pieces: Buffer[] = [];
    // One byte more than is allowed shows that there is too much.
    for await (const piece of createReadStream(path, { end: LARGEST_BYTES })) pieces.push(piece);
    return decode(Buffer.concat(pieces));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { problem: PROBLEMS[code] ?? `the file cannot be read: ${code}` };
  }
}

/** What was read, as a hash: it may hold secrets. */
export function digestOf(read: ConfigText): string {
  return 'problem' in read ? read.problem : createHash('sha256').update(read.text).digest('hex');
}

function decode(bytes: Buffer): ConfigText {
  if (bytes.length > LARGEST_BYTES) return { problem: 'the file is too large: expected at most 4 MiB' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'expected text, found binary data' } : { text };
  } catch {
    // The decoder's only way to refuse what is not UTF-8.
    return { problem: 'expected text in UTF-8, found other data' };
  }
}

/** A YAML file as plain data, and where in the file each part of it stands. */
interface ConfigDocument {
  /** What the file says, variables filled in; undefined when it is too broken to be read further. */
  readonly value: unknown;
  readonly issues: readonly ConfigIssue[];
  /** The finding as an issue at its line, or at that of the nearest part above it that the file has. */
  readonly place: (finding: UnplacedIssue) => ConfigIssue;
}

/** Reads YAML 1.2 with merge keys, in steps, without the top-level `x-…` keys. `source` names the file in the issues. */
export function* readConfigInSteps(
  text: string,
  source: string,
  env: Environment,
): Generator<undefined, ConfigDocument> {
  const read = yield* readYamlInSteps(text, source, { scalar: (scalar) => fillIn(scalar, env) });
  return { ...read, value: withoutExtensions(read.value) };
}

/** As in compose files, top-level keys that begin with `x-` hold anchors for the rest and say nothing themselves. */
function withoutExtensions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-')));
}

/** How a kind of file differs from plain YAML 1.2. */
export interface YamlDialect {
  /** The library's schema. `failsafe` leaves every scalar as its text. Default: `core`. */
  readonly schema?: 'core' | 'failsafe';
  /** Mistakes of YAML that do not count. */
  readonly allowed?: readonly ErrorCode[];
  /** Changes a text that is no key, before the document becomes plain data; returns what is wrong with it. */
  readonly scalar: (scalar: Scalar) => readonly string[];
  readonly whole?: (document: Document) => readonly string[];
}

/** Reads YAML with merge keys in a dialect, in steps. `source` names the file in the issues. */
export function* readYamlInSteps(
  text: string,
  source: string,
  dialect: YamlDialect,
): Generator<undefined, ConfigDocument> {
  const lines = new LineCounter();
  const document = yield* parseInSteps(text, lines, {
    schema: dialect.schema ?? 'core',
    merge: true,
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  const issueAt = (offset: number, path: string, message: string): ConfigIssue => {
    const { line, col } = lines.linePos(offset);
    return { source, line: Math.max(1, line), column: Math.max(1, col), path, message };
  };
  const place = (finding: UnplacedIssue) =>
    issueAt(offsetOf(document, finding), formatPath(finding.path), withKeys(finding.message));
  const errors = document.errors.filter(({ code }) => !dialect.allowed?.includes(code));
  const problems = [...errors, ...document.warnings];
  const tooDeep = problems.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  const issues = (tooDeep === undefined ? problems : [tooDeep]).map(({ pos, code }) =>
    issueAt(pos[0], '', YAML_PROBLEMS[code]),
  );
  issues.push(...(dialect.whole?.(document) ?? []).map((message) => issueAt(0, '', message)));
  const { misplaced, hasAliases } = yield* structureOf(document, (scalar, chain) => {
    const problems = dialect.scalar(scalar);
    if (problems.length === 0) return;
    const path = pathOf(chain);
    issues.push(...problems.map((problem) => issueAt(scalar.range?.[0] ?? 0, path, problem)));
  });
  issues.push(...misplaced.map(({ offset, message }) => issueAt(offset, '', message)));
  const readable = errors.length === 0 && misplaced.every((problem) => problem.readable);
  if (!readable) return { value: undefined, issues, place };
  // How far aliases may go is seen to above.
  const value: unknown = hasAliases ? document.toJS({ maxAliasCount: -1 }) : yield* plainInSteps(document);
  return { value, issues, place };
}

/** Replaces the variables in a text, after parsing, so that no value can be read as YAML. */
function fillIn(scalar: Scalar, env: Environment): readonly string[] {
  const { text, problems } = interpolate(String(scalar.value), env);
  scalar.value = text;
  return problems;
}

/** The path that a chain of nodes, from the document down, leads along. */
function pathOf(chain: readonly unknown[]): string {
  const steps = chain.flatMap((node, depth): (string | number)[] => {
    if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : [];
    return isSeq(node) ? [node.items.indexOf(chain[depth + 1])] : [];
  });
  return formatPath(steps);
}

interface Entry {
  readonly key: unknown;
  readonly value: unknown;
}

function offsetOf(document: Document, { path, at }: UnplacedIssue): number {
  let here: Entry = { key: undefined, value: document.contents };
  for (const step of path) {
    const next = entryOf(document, here.value, step);
    if (next === undefined) return startOf(here, 'key');
    here = next;
  }
  return startOf(here, at);
}

function startOf({ key, value }: Entry, at: UnplacedIssue['at']): number {
  const candidates = at === 'key' ? [key, value] : [value, key];
  const placed = candidates.find((node): node is Node => isNodeWithRange(node));
  return placed?.range?.[0] ?? 0;
}

function isNodeWithRange(node: unknown): node is Node {
  const placed = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
  return placed && node.range !== undefined && node.range !== null;
}

/** What `step` leads to from a node, through aliases and merge keys. */
function entryOf(document: Document, node: unknown, step: string | number): Entry | undefined {
  const target = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(target))
    return typeof step === 'number' ? { key: undefined, value: target.items[step] } : undefined;
  if (!isMap(target)) return undefined;
  const own = target.items.find(({ key }) => isScalar(key) && key.value === step);
  if (own !== undefined) return own;
  const merged = target.items.filter(({ key }) => isMergeKey(key));
  for (const { value } of merged) {
    const sources = isSeq(value) ? value.items : [value];
    for (const from of sources) {
      const entry = entryOf(document, from, step);
      if (entry !== undefined) return entry;
    }
  }
  return undefined;
}

/** A configuration, or a part of one, as it is written. */
export interface Written extends ConfigDocument {
  readonly source: string;
  /** Where the paths in it start from. */
  readonly directory: string;
}

/** What a file says, read in slices. */
export async function written(source: string, read: ConfigText, env: Environment): Promise<Written> {
  const common = { source, directory: dirname(source) };
  if ('text' in read)
    return { ...common, ...(await madeInSlices(readConfigInSteps(read.text, source, env))) };
  const place = ({ message }: Pick<UnplacedIssue, 'message'>) => ({ source, path: '', message });
  return { ...common, value: undefined, issues: [place({ message: read.problem })], place };
}

/** Mistakes of what is written, without those that stand where one of its variables does: they come of that. */
export function besides(issues: readonly ConfigIssue[], found: readonly ConfigIssue[]): ConfigIssue[] {
  // The environment has variables where a file has lines.
  const placeOf = ({ line, column, path }: ConfigIssue) => (line === undefined ? path : `${line}:${column}`);
  const places = new Set(issues.map(placeOf));
  return found.filter((issue) => !places.has(placeOf(issue)));
}
