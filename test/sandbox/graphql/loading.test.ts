import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../../src');
const LOADED = /(?:^|\n)(?:import|export) (?!type )[^;]*?from '([^']+)'/g;

function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  if (!file.startsWith(SOURCES)) return loaded;
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(LOADED)) {
    loadedWith(path.startsWith('.') ? join(dirname(file), path) : path, loaded);
  }
  return loaded;
}

it.each(['main', 'commands/serve', 'commands/plan', 'commands/doctor', 'commands/backfill'])(
  '%s does not load the embedded platform, nor what it alone needs',
  (name) => {
    const loaded = [...loadedWith(join(SOURCES, `${name}.ts`))];
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded).not.toContain('graphql');
    expect(
      loaded.map((file) => relative(SOURCES, file)).filter((file) => file.startsWith('sandbox/')),
    ).toEqual([]);
  },
);

it('the embedded platform loads it', () => {
  expect(loadedWith(join(SOURCES, 'commands/sandbox.ts'))).toContain('graphql');
});
