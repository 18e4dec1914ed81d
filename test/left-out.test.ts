import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COSTLY, changedFiles, needsOf, unconcernedBy } from '../.ci/left-out.mjs';

const ROOT = join(import.meta.dirname, '..');
const ALL = Object.keys(COSTLY);

/** The costly tests that run when a file has changed. */
function runBy(file: string): string[] {
  const leftOut = unconcernedBy([file]);
  return ALL.filter((test) => !leftOut.includes(test));
}

describe('of the tests that cost most', () => {
  it('there are those that are named, and the commands that they start', () => {
    expect(ALL.filter((test) => !existsSync(join(ROOT, test)))).toEqual([]);
    const commands = new Set(Object.values(COSTLY).flat());
    expect([...commands].filter((name) => !existsSync(join(ROOT, `src/commands/${name}.ts`)))).toEqual([]);
  });

  it('each names the commands that it starts as a process, by the helper that starts them', () => {
    const helper = 'test/end-to-end/exporter-process.ts';
    const starting = ALL.filter((test) => needsOf([test]).has(helper));
    expect(starting).toContain('test/end-to-end/crash.test.ts');
    expect(starting.filter((test) => COSTLY[test as keyof typeof COSTLY].length === 0)).toEqual([]);
  });

  it('a page of the documentation concerns none', () => {
    for (const page of ['README.md', 'docs/push.md', '.github/workflows/release.yml'])
      expect(runBy(page), page).toEqual([]);
  });

  it.each([
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'vitest.config.ts',
    '.ci/run',
    'src/tsconfig.json',
    'a-file-of-a-new-kind',
    'src/exporter/a-file-that-is-gone.ts',
  ])('%s concerns all', (file) => {
    expect(runBy(file)).toEqual(ALL);
  });

  it('code concerns those that import it, or start a command that does', () => {
    const sourceOf = (test: string, house: string) =>
      [...needsOf([test])].find((file) => file.startsWith(house)) ?? '';
    const decoding = runBy(sourceOf('test/exporter/decode/decode-load.test.ts', 'src/exporter/'));
    expect(decoding).toContain('test/exporter/decode/decode-load.test.ts');
    expect(decoding).toContain('test/simulation/chaos.test.ts');
    expect(decoding).toContain('test/end-to-end/crash.test.ts');
    expect(decoding).not.toContain('test/rules/shipped/evaluation.test.ts');
    const evaluation = runBy(sourceOf('test/rules/shipped/evaluation.test.ts', 'src/rules/promql/'));
    expect(evaluation).toContain('test/rules/shipped/evaluation.test.ts');
    expect(evaluation).not.toContain('test/end-to-end/crash.test.ts');
  });

  it('a thread and a program that tests compile count as imported', () => {
    expect(runBy('src/exporter/state/database-thread.js')).toContain('test/exporter/state/damage.test.ts');
    expect(runBy('test/exporter/state/disk-writer.ts')).toContain('test/exporter/state/damage.test.ts');
  });

  it('a test concerns itself', () => {
    for (const test of ALL) expect(runBy(test)).toEqual([test]);
    expect(runBy('test/left-out.test.ts')).toEqual([]);
  });
});

it('everything runs every night and before a release', () => {
  const workflow = (name: string) => readFileSync(join(ROOT, '.github/workflows', name), 'utf8');
  expect(parse(workflow('release.yml')).jobs.test.steps).toContainEqual({
    run: 'bash .ci/run',
    env: { CI_ALL: 'true' },
  });
  const { on, jobs } = parse(workflow('tests.yml'));
  expect(on.schedule).toHaveLength(1);
  const { env } = jobs.test.steps.find(({ run }: { run?: string }) => run === 'bash .ci/run');
  expect(env.CI_ALL).toMatch(/github\.event_name == 'schedule'/);
});

describe('what has changed', () => {
  /** A repository in which these commands answer so; all others fail. */
  const git =
    (answers: Readonly<Record<string, string>>) =>
    (...args: string[]): string => {
      const [, answer] = Object.entries(answers).find(([begin]) => args.join(' ').startsWith(begin)) ?? [];
      if (answer === undefined) throw new Error(`fatal: not found: ${args.join(' ')}`);
      return answer;
    };
  const branch = {
    'rev-parse HEAD': 'c3',
    'for-each-ref': 'refs/heads/main\nrefs/remotes/origin/main',
    'merge-base HEAD refs/remotes/origin/main': 'c1',
    'diff --name-only --no-renames -z c1': 'src/main.ts\0docs/push.md\0',
    'ls-files': 'new.ts\0',
  };

  it('is what differs from where the branch left main, not yet committed files included', () => {
    const found = changedFiles({}, git(branch));
    expect(found).toEqual({ base: 'c1', files: ['src/main.ts', 'docs/push.md', 'new.ts'] });
  });

  it('is what differs from a commit that is named', () => {
    const answers = { 'rev-parse HEAD': 'c3', 'diff --name-only --no-renames -z c2': 'a\0', 'ls-files': '' };
    expect(changedFiles({ CI_BASE: 'c2' }, git(answers))).toEqual({ base: 'c2', files: ['a'] });
  });

  it.each([
    ['without a repository', {}, {}],
    ['without a branch main', {}, { ...branch, 'for-each-ref': '' }],
    [
      'without the history in which the branch left main',
      {},
      { 'rev-parse HEAD': 'c3', 'for-each-ref': branch['for-each-ref'] },
    ],
    ['on main itself', {}, { ...branch, 'rev-parse HEAD': 'c1' }],
    ['where the named commit is not there', { CI_BASE: '0000' }, { 'rev-parse HEAD': 'c3' }],
    ['every night and before a release', { CI_ALL: 'true' }, branch],
  ])('is not known %s: everything runs', (_, environment, answers) => {
    expect(changedFiles(environment, git(answers))).toEqual({ reason: expect.stringMatching(/./) });
  });
});
