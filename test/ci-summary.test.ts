import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

type Files = Readonly<Record<string, readonly ('passed' | 'failed' | 'skipped')[]>>;

function summary(...suites: readonly (Files | undefined)[]): { lines: string[]; status: number | null } {
  return told(suites.flatMap(suiteOf));
}

function summaryOfTwoTries(first: Files, second: Files | undefined) {
  return told([
    ...suiteOf({ 'quick.test.ts': ['passed'] }),
    ...suiteOf(first),
    '--again',
    ...suiteOf(second),
  ]);
}

function suiteOf(files: Files | undefined): string[] {
  return [reportOf(files), files === undefined || hasFailed(files) ? '1' : '0'];
}

function told(args: readonly string[]): { lines: string[]; status: number | null } {
  const { stdout, status } = summarize(args);
  return { lines: stdout.trimEnd().split('\n'), status };
}

function triedAgain(files: Files, unhandled = 0): string[] {
  const path = reportOf(files);
  writeFileSync(`${path}.unhandled`, String(unhandled));
  return summarize(['--try-again', path]).stdout.split('\0').slice(0, -1);
}

function summarize(args: readonly string[]): { stdout: string; status: number | null } {
  return spawnSync(process.execPath, ['.ci/summary.mjs', ...args], { cwd: ROOT, encoding: 'utf8' });
}

function reportOf(files: Files | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'report.json');
  if (files !== undefined) writeFileSync(path, JSON.stringify(report(files)));
  return path;
}

function report(files: Files): object {
  const testResults = Object.entries(files).map(([name, statuses]) => ({
    name: join(ROOT, name),
    status: statuses.includes('failed') || statuses.length === 0 ? 'failed' : 'passed',
    assertionResults: statuses.map((status, index) => ({ status, fullName: `test ${index}` })),
  }));
  return { success: !hasFailed(files), testResults };
}

function hasFailed(files: Files): boolean {
  return Object.values(files).some((statuses) => statuses.includes('failed') || statuses.length === 0);
}

const WELL: Files = { 'well.test.ts': ['passed'] };

describe('the last line tells the tests', () => {
  it('all are well', () => {
    const found = summary({ 'a.test.ts': ['passed', 'skipped'], 'b.test.ts': ['passed'] }, WELL);
    expect(found).toEqual({ lines: ['3 passed, 0 failed, 1 skipped'], status: 0 });
  });

  it.each<[string, Files | undefined]>([
    ['one has failed', { 'a.test.ts': ['passed', 'failed'] }],
    ['a file could not be loaded', { 'a.test.ts': ['passed'], 'b.test.ts': [] }],
    ['none has run', {}],
    ['there is no report', undefined],
  ])('not all are well: %s', (_, files) => {
    expect(summary(files).status).not.toBe(0);
    expect(summary(files, WELL).status).not.toBe(0);
    expect(summary(WELL, files).status).not.toBe(0);
  });
});

describe('a second try', () => {
  it('counts for the files that it was of, and what failed at first is told', () => {
    const first: Files = { 'a.test.ts': ['passed'], 'b.test.ts': ['passed', 'failed'], 'c.test.ts': [] };
    expect(triedAgain(first)).toEqual(['b.test.ts', 'c.test.ts']);
    const second: Files = { 'b.test.ts': ['passed', 'passed'], 'c.test.ts': ['passed'] };
    expect(summaryOfTwoTries(first, second)).toEqual({
      lines: [
        'failed at the first try: b.test.ts > test 1',
        'failed at the first try: c.test.ts > (the file itself)',
        '5 passed, 0 failed',
      ],
      status: 0,
    });
  });

  it('is refused where a test fails again, or there is no report of it', () => {
    const first: Files = { 'a.test.ts': ['passed'], 'b.test.ts': ['failed'] };
    expect(summaryOfTwoTries(first, { 'b.test.ts': ['failed'] })).toMatchObject({ status: 1 });
    expect(summaryOfTwoTries(first, undefined)).toMatchObject({ status: 1 });
  });

  it('is not made of what is well, nor of more than three files', () => {
    expect(triedAgain({ 'a.test.ts': ['passed'] })).toEqual([]);
    const all = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.test.ts`, ['failed']] as const),
    );
    expect(triedAgain(all)).toEqual([]);
  });

  it('is not made where there was an error that no test caught', () => {
    expect(triedAgain({ 'a.test.ts': ['failed'] }, 1)).toEqual([]);
  });
});
