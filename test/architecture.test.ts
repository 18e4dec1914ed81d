import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const IMPORT = /(?:from |import |import\()'(\.[^']+)'/g;

/** The names that may be imported by those below them, in the order of ARCHITECTURE.md. */
function layers(): string[][] {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const block = /<!-- layers:begin -->\n```\n(.*)\n```\n<!-- layers:end -->/s.exec(page)?.[1] ?? '';
  return block.split('\n').map((line) => line.split(' '));
}

/** A folder of `src`, or a file that is in none. */
function partOf(path: string): string {
  return relative(SOURCES, path).split('/')[0] ?? '';
}

function files(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(SOURCES, name));
}

function imports(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path));
}

it('names every part of the sources once', () => {
  expect(layers().flat().sort()).toEqual([...new Set(files().map(partOf))].sort());
});

it('lets a part import only what stands above it', () => {
  const level = new Map(layers().flatMap((names, index) => names.map((name) => [name, index] as const)));
  const levelOf = (path: string) => level.get(partOf(path)) ?? Number.NaN;
  const wrong = files().flatMap((file) =>
    imports(file)
      .filter((imported) => partOf(imported) !== partOf(file) && !(levelOf(imported) < levelOf(file)))
      .map((imported) => `${relative(SOURCES, file)} imports ${relative(SOURCES, imported)}`),
  );
  expect(wrong).toEqual([]);
});

it('has no circle of imports between files, not even of types alone', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file))
      circles.push(
        [...path.slice(path.indexOf(file)), file].map((name) => relative(SOURCES, name)).join(' > '),
      );
    if (done.has(file) || path.includes(file)) return;
    for (const next of imports(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files()) visit(file, []);
  expect(circles).toEqual([]);
});

it('starts without the embedded platform where another one is polled', () => {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) load(join(dirname(file), path));
  };
  load(join(SOURCES, 'commands', 'serve.ts'));
  expect(loaded.size).toBeGreaterThan(100);
  expect([...loaded].map(partOf).filter((part) => part.startsWith('sandbox'))).toEqual([]);
});
