import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';
import { loadConfig } from '../../../src/exporter/configuration/config.ts';
import { formatPath } from '../../../src/exporter/configuration/issue.ts';
import { inLongSuite } from '../../long-suite.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'edge-exporter-lines-'));
});
afterAll(() => rm(directory, { recursive: true }));

type Tree = { readonly [key: string]: Tree | readonly Tree[] | string };

interface KeyLine {
  readonly path: readonly (string | number)[];
  /** Index of the key's line, from 0. */
  readonly index: number;
}

function write(tree: Tree, path: readonly (string | number)[], indent: string, lines: string[]): KeyLine[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const here = { path: [...path, key], index: lines.length };
    lines.push(typeof value === 'string' ? `${indent}${key}: ${value}` : `${indent}${key}:`);
    if (typeof value === 'string') return [here];
    if (!Array.isArray(value)) return [here, ...write(value as Tree, here.path, `${indent}  `, lines)];
    const items = value.flatMap((item, position) => {
      lines.push(`${indent}  -`);
      return write(item, [...here.path, position], `${indent}    `, lines);
    });
    return [here, ...items];
  });
}

const option = <Value>(value: Value) => fc.option(fc.constant(value), { nil: undefined });

function some(options: Record<string, fc.Arbitrary<unknown>>, always: Tree): fc.Arbitrary<Tree> {
  return fc.record(options).map((given) => {
    const kept = Object.entries(given).filter(([, value]) => value !== undefined);
    return { ...always, ...Object.fromEntries(kept) } as Tree;
  });
}

const configurations = { include: '[a, "b-*"]', exclude: '[c]' };
const settings = some(
  {
    by: option('[configuration]'),
    address_by: option('domain'),
    configurations: option(configurations),
    metrics: option('["*"]'),
  },
  { dimensions: '["*"]' },
);

function series(api: string) {
  const slugs = PRODUCTS.filter((product) => product.api === api).map(({ slug }) => slug);
  const products = fc
    .uniqueArray(fc.constantFrom(...slugs), { minLength: 1 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((slug) => [slug, settings]))));
  return fc.record({ schedule: fc.constant('"*/5 * * * *"'), products });
}

const account = some(
  {
    quota: option({ reserve: '0.1' }),
    request: option({ timeout: '10s', concurrency: '2' }),
    stale_after: option('20m'),
    collectors: some({ metrics: series('metrics'), domains: option({ enabled: 'false' }) }, {}),
  },
  { api_url: 'https://api.example.net', token: 'abc' },
);

const config = fc.tuple(fc.array(account, { minLength: 1, maxLength: 3 }), option({ series: '10' })).map(
  ([accounts, limits]): Tree => ({
    ...(limits && { limits }),
    accounts: accounts.map((given, index) => ({ name: `account-${index}`, ...given })),
  }),
);

/** Inserts comments and blank lines before some lines, which must not confuse the count. */
function spread(
  lines: readonly string[],
  gaps: readonly number[],
): { text: string; lineOf: (index: number) => number } {
  const starts: number[] = [];
  const out: string[] = [];
  for (const [index, line] of lines.entries()) {
    const gap = gaps[index % gaps.length] ?? 0;
    out.push(...Array.from({ length: gap }, (_, blank) => (blank % 2 === 0 ? '# a comment: {' : '')));
    starts.push(out.length + 1);
    out.push(line);
  }
  return { text: out.join('\n'), lineOf: (index) => starts[index] ?? 0 };
}

test('any one key misspelt anywhere in a good file is reported with its path at its line', async () => {
  const file = join(directory, 'config.yaml');
  const gaps = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(config, gaps, fc.nat(), async (tree, gap, choice) => {
      const lines: string[] = [];
      const keys = write(tree, [], '', lines);
      const good = spread(lines, gap);
      await writeFile(file, good.text);
      expect((await loadConfig({ file, env: {} })).ok).toBe(true);

      const { path, index } = keys[choice % keys.length] ?? { path: [], index: 0 };
      const misspelt = `${path.at(-1)}q`;
      lines[index] = (lines[index] ?? '').replace(`${path.at(-1)}:`, `${misspelt}:`);
      const { text, lineOf } = spread(lines, gap);
      await writeFile(file, text);
      const loaded = await loadConfig({ file, env: {} });
      const unknown = loaded.ok
        ? []
        : loaded.issues.filter(({ message }) => message.startsWith('unknown key'));
      expect(unknown).toEqual([
        expect.objectContaining({
          line: lineOf(index),
          path: formatPath([...path.slice(0, -1), misspelt]),
          message: `unknown key; did you mean "${path.at(-1)}"?`,
        }),
      ]);
    }),
    { numRuns: inLongSuite(100, 30) },
  );
});
