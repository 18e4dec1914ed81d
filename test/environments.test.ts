import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { WEB_CONFIG_CORPUS } from './exporter/web/config-corpus.ts';
import { notRunBy, SUITES } from './suite.mjs';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/environments.md');
const SCRIPTS = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

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
      expect(project).toBe(dirname(path) === 'test/end-to-end' ? 'real' : 'unit');
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

describe('the suites of tests', () => {
  const workflow = (name: string) => parse(read(`.github/workflows/${name}`));

  it('README names the test commands that CI runs', () => {
    const commands = [...read('.ci/run').matchAll(/^(npm .+) \|\| \w+_status=/gm)].map(
      ([, command]) => command,
    );
    expect(commands).toEqual(['npm cit', 'npm run test:real']);
    for (const command of commands) expect(read('README.md')).toContain(`\`${command}\``);
  });

  it('each ends by naming the commands of the others, which there are', () => {
    for (const [suite, { command }] of Object.entries(SUITES)) {
      expect(SCRIPTS[command.replace(/^npm (run )?/, '')]).toContain(`node test/suite.mjs ${suite}`);
      const lines = notRunBy(suite);
      for (const other of Object.values(SUITES))
        expect(lines.some((line) => line.startsWith(`not run: ${other.command} (`))).toBe(
          other.command !== command,
        );
    }
  });

  it('every story has its full length each night and before a release', () => {
    const { on, jobs } = workflow('tests.yml');
    expect(on.schedule).toHaveLength(1);
    expect(jobs.night.if).toBe("github.event_name == 'schedule'");
    for (const { steps } of [jobs.night, workflow('release.yml').jobs.night])
      expect(steps).toContainEqual({ run: 'npm ci && npm run test:long' });
  });
});
