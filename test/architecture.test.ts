import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const IMPORT = /(?:from |import |import\()'(\.[^']+)'/g;

const HOUSES = ['exporter', 'rules'];

function layers(house: string): string[][] {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const block = new RegExp(
    `<!-- layers:${house}:begin -->\n\`\`\`\n(.*)\n\`\`\`\n<!-- layers:${house}:end -->`,
    's',
  ).exec(page)?.[1];
  return (block ?? '').split('\n').map((line) => line.split(' '));
}

function placeOf(path: string): readonly [house: string, part: string] {
  const [house = '', part = ''] = relative(SOURCES, path).split('/');
  return [house, part];
}

function files(house = ''): string[] {
  return readdirSync(join(SOURCES, house), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(SOURCES, house, name));
}

function imports(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) => join(dirname(file), path));
}

describe.each(HOUSES)('the house %s', (house) => {
  it('names every part once', () => {
    expect(layers(house).flat().sort()).toEqual(
      [...new Set(files(house).map((file) => placeOf(file)[1]))].sort(),
    );
  });

  it('lets a part import only what stands above it', () => {
    const level = new Map(
      layers(house).flatMap((names, index) => names.map((name) => [name, index] as const)),
    );
    const wrong = files(house).flatMap((file) => {
      const [, part] = placeOf(file);
      const isWrong = (imported: string) => {
        const [otherHouse, other] = placeOf(imported);
        return (
          otherHouse === house && other !== part && !(Number(level.get(other)) < Number(level.get(part)))
        );
      };
      return imports(file)
        .filter(isWrong)
        .map((imported) => `${relative(SOURCES, file)} imports ${relative(SOURCES, imported)}`);
    });
    expect(wrong).toEqual([]);
  });
});

it('the compiler knows which house may import which', () => {
  const referencesOf = (house: string) => {
    const project = JSON.parse(readFileSync(join(SOURCES, house, 'tsconfig.json'), 'utf8')) as {
      references: { path: string }[];
    };
    return project.references.map(({ path }) => path.replace('../', ''));
  };
  expect(referencesOf('exporter')).toEqual([]);
  expect(referencesOf('sandbox')).toEqual([]);
  expect(referencesOf('rules')).toEqual(['exporter', 'sandbox']);
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

it('has no file of more than 400 lines', () => {
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1;
  const long = files().filter((file) => lines(file) > 400);
  expect(long.map((file) => relative(SOURCES, file))).toEqual([]);
});

const BUDGETS = {
  'src/exporter': 36_800,
  'src/sandbox': 5_900,
  'src/rules': 6_250,
  'src/commands': 1_180,
  test: 63_200,
} as const;

it.each(Object.entries(BUDGETS))('%s has at most %i lines', (part, most) => {
  const root = join(SOURCES, '..', part);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const lines = sources.reduce(
    (sum, name) => sum + readFileSync(join(root, name), 'utf8').split('\n').length - 1,
    0,
  );
  expect(lines).toBeLessThanOrEqual(most);
  // A budget must be lowered if less than 95 % of it is used.
  expect(lines).toBeGreaterThan(0.95 * most);
});

describe('serve, before it is asked for anything', () => {
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type [^;]*;/gm, '');
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) load(join(dirname(file), path));
    for (const [, name = ''] of text.matchAll(/from '([^.'][^']*)'/g)) packages.add(name);
  };
  load(join(SOURCES, 'commands', 'serve.ts'));
  const parts = [...loaded].map((file) => placeOf(file));

  it('loads neither the embedded platform, nor rules, nor a rehearsal', () => {
    expect(loaded.size).toBeGreaterThan(100);
    expect([...new Set(parts.map(([house]) => house))].sort()).toEqual(['commands', 'exporter']);
  });

  it('loads nothing of other commands, and no web page', () => {
    const unused = ['backfill', 'doctor', 'plan'];
    expect(parts.map(([, part]) => part).filter((part) => unused.includes(part))).toEqual([]);
    expect(loaded).not.toContain(join(SOURCES, 'exporter', 'page', 'page.ts'));
  });

  it('loads no package as a whole that it needs later, or a part of', () => {
    expect(packages).toContain('zod');
    for (const name of ['express', '@node-rs/bcrypt', 'undici']) expect(packages).not.toContain(name);
  });
});
