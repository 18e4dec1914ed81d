import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const OTHER_PROJECTS = /^(end-to-end|rules\/shipped|simulation|bench)\/|\.browser\.test\.ts$/;

const START_NODE = ['ci-summary.test.ts', 'exporter/state/lock.test.ts', 'main.test.ts'];

const FILES = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !OTHER_PROJECTS.test(name))
  .filter((name) => name !== relative(import.meta.dirname, import.meta.filename));

function filesWith(pattern: RegExp): string[] {
  return FILES.filter((name) => pattern.test(readFileSync(join(import.meta.dirname, name), 'utf8'))).sort();
}

it('unit tests start no program but Node: others belong to those with real components', () => {
  expect(FILES.length).toBeGreaterThan(150);
  expect(filesWith(/from 'node:child_process'/)).toEqual(START_NODE);
  expect(filesWith(/from '[./]+end-to-end\/(?!child-process|config-file|free-port)/)).toEqual([]);
});

it('unit tests do not sleep a tenth of a second or longer: they await what happens, or simulate time', () => {
  expect(filesWith(/setTimeout\((resolve|done), \d{3,}\)|setTimeout.*from 'node:timers\/promises'/)).toEqual(
    [],
  );
});
