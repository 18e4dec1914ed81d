/**
 * A copy of the compiled program in which every function says when it is entered: which functions run, how often, and in
 * which order, of the process that users run. V8's coverage has no order, and none of its profiles has every call.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

/** A function of the program. */
export interface Traced {
  /** Below `src`. */
  readonly file: string;
  readonly name: string;
  /** Its first line in the compiled file, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/**
 * Copies the program to `to`; its functions call `globalThis.entered` with their index in what is returned.
 * @param from the folder with the compiled program
 */
export function traceInto(from: string, to: string): readonly Traced[] {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
  const traced: Traced[] = [];
  for (const path of readdirSync(to, { recursive: true, encoding: 'utf8' }).sort()) {
    // A thread of its own has no part in the order.
    if (!path.endsWith('.js') || path.endsWith('database-thread.js')) continue;
    const code = readFileSync(join(to, path), 'utf8');
    const insertions: Insertion[] = [];
    collect(parseAst(code), 'module', (name, body, isBlock) => {
      const call = `globalThis.entered(${traced.length})`;
      const [from, to] = [lineOf(code, body.start), lineOf(code, body.end) + 1];
      traced.push({ file: path.replace(/\.js$/, '.ts'), name, from, to });
      if (isBlock) insertions.push({ at: body.start + 1, text: `${call};` });
      else insertions.push({ at: body.start, text: `(${call},(` }, { at: body.end, text: '))' });
    });
    writeFileSync(join(to, path), inserted(code, insertions));
  }
  return traced;
}

function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

function inserted(code: string, insertions: readonly Insertion[]): string {
  let from = 0;
  let text = '';
  for (const { at, text: piece } of insertions.toSorted((a, b) => a.at - b.at)) {
    text += code.slice(from, at) + piece;
    from = at;
  }
  return text + code.slice(from);
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Found = (name: string, body: Node, isBlock: boolean) => void;

/** Calls `found` for each function below a node; one without a name goes by that of what it is given to. */
function collect(node: object, name: string, found: Found): void {
  const called = nameIn(node) ?? name;
  if ('body' in node && isNode(node) && /Function/.test(node.type) && isNode(node.body))
    found(called, node.body, node.body.type === 'BlockStatement');
  for (const child of Object.values(node).flat())
    if (typeof child === 'object' && child !== null) collect(child, called, found);
}

function nameIn(node: object): string | undefined {
  for (const key of ['id', 'key']) {
    const named: unknown = Object.entries(node).find(([name]) => name === key)?.[1];
    if (typeof named === 'object' && named !== null && 'name' in named) return String(named.name);
  }
  return undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}
