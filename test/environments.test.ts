import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WEB_CONFIG_CORPUS } from './exporter/web/config-corpus.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/environments.md');
const SCRIPTS = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

/** Cells by row. */
const ROWS = [...PAGE.matchAll(/^\| (?!environment )(.+) \|$/gm)].map(([, row = '']) => row.split(' | '));

function linksOf(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => join('docs', link));
}

describe('docs/environments.md', () => {
  it('has a row for each way to run the exporter', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(14);
    for (const row of ROWS) expect(row).toHaveLength(4);
  });

  it.each(ROWS)('%s: the command and what it runs are here', (_environment, command = '', run = '') => {
    const links = linksOf(run);
    if (command !== 'the release workflow') expect(links.length).toBeGreaterThan(0);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(links.filter((path) => !/^test\/.*(\.test\.ts|nodes\.mjs|corpus\.ts)$/.test(path))).toEqual([]);
    for (const [, script = ''] of command.matchAll(/npm run ([a-z:]+)/g))
      expect(SCRIPTS).toHaveProperty(script);
    for (const [, project, path = ''] of command.matchAll(/--project (\S+) (test\/[^`]*)/g)) {
      expect(existsSync(join(ROOT, path))).toBe(true);
      expect(project).toBe(dirname(path) === 'test/end-to-end' ? 'end-to-end' : 'unit');
      expect(links.some((link) => link.startsWith(path))).toBe(true);
    }
  });

  it('names the versions of Node that the script and the workflow run, from the oldest that is allowed on', () => {
    const [, named = ''] = /\| Node ([\d, ]+) \|/.exec(PAGE) ?? [];
    const versions = named.split(', ');
    const [, supported = ''] = /SUPPORTED = \[(.*)\]/.exec(read('test/nodes.mjs')) ?? [];
    expect(supported.replaceAll("'", '').split(', ')).toEqual(versions);
    const workflow = read('.github/workflows/release.yml');
    const released = [...workflow.matchAll(/node(?:-version)?: (\d+)\b/g)].map(([, version = '']) => version);
    expect([...new Set(released)].sort()).toEqual(versions);
    expect(read('package.json')).toContain(`"node": ">=${versions[0]}.`);
  });

  it('counts the corpus of web configurations as it is', () => {
    const count = Object.keys(WEB_CONFIG_CORPUS).length;
    expect(PAGE).toContain(`[${count} files]`);
    expect(PAGE).toContain(`${count} of ${count} judged alike`);
  });

  it('names every test of a way to install or to serve', () => {
    const tests = [
      'image',
      'helm-chart',
      'kustomization',
      'systemd-unit',
      'systemd-filter',
      'proxy',
      'web-config-corpus',
    ];
    const named = ROWS.flatMap(([, , run = '']) => linksOf(run));
    for (const name of tests) expect(named).toContain(`test/end-to-end/${name}.test.ts`);
  });
});

it('README names the test command that CI runs', () => {
  const [, command = ''] = /^(npm \S+) \|\| status=/m.exec(read('.ci/run')) ?? [];
  expect(command).not.toBe('');
  expect(read('README.md')).toContain(`\`${command}\``);
});
