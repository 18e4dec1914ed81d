import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/command-line/program.ts';
import { COMMANDS } from '../../src/commands.ts';
import { eventually } from '../eventually.ts';

function begin(args: readonly string[]) {
  const err: string[] = [];
  const ending = new AbortController();
  const processContext = {
    args: ['serve', ...args],
    env: {},
    stdout: { write: () => undefined },
    stderr: { write: (text: string) => err.push(text) },
    signal: ending.signal,
    onCrash: () => undefined,
  };
  const exitCode = run(processContext, COMMANDS);
  return { exitCode, end: () => ending.abort(), err: () => err.join('') };
}

test('it listens on every address that is given, and says so', async () => {
  const addresses = ['--web.listen-address=127.0.0.1:0', '--web.listen-address=localhost:0'];
  const { exitCode, end, err } = begin(['--sandbox', ...addresses]);
  const urls = () => [...err().matchAll(/msg=listening address=(\S+)/g)].map(([, url]) => url);
  await eventually('it listens', () => urls().length === 2);
  for (const url of urls()) expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  end();
  expect(await exitCode).toBe(0);
});

test('an address that is not to be had among several ends it, and the others are closed', async () => {
  const { exitCode, err } = begin([
    '--sandbox',
    '--web.listen-address=127.0.0.1:0',
    '--web.listen-address=192.0.2.1:9801',
  ]);
  expect(await exitCode).toBe(1);
  expect(err()).toContain('error: cannot listen on 192.0.2.1:9801');
});

// Windows has no named pipes in its file system.
test.runIf(process.platform !== 'win32')('asked to end, it does not wait until it has started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Reading it waits until somebody writes, as reading from a disk that hangs does.
  const pipe = join(folder, 'exporter.yaml');
  execFileSync('mkfifo', [pipe]);
  const { exitCode, end, err } = begin([`--config.file=${pipe}`]);
  end();
  expect(await exitCode).toBe(0);
  expect(err()).toContain('msg=stopping');
  writeFileSync(pipe, 'accounts: []');
});
