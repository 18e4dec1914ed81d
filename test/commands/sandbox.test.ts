import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { beginProgram } from './call-program.ts';

function begin(args: readonly string[]) {
  const ending = new AbortController();
  const listen = '--sandbox.listen-address=127.0.0.1:0';
  const running = beginProgram(['sandbox', listen, ...args], { signal: ending.signal });
  return { ...running, end: () => ending.abort() };
}

function file(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'sandbox.yaml');
  writeFileSync(path, text);
  return path;
}

test('it serves the embedded platform as its file describes it, says how to use it, and ends with 0', async () => {
  const { exitCode, end, out } = begin([
    `--sandbox.config.file=${file('configurations: 5\ntokens: [{ token: rehearsal }]\n')}`,
  ]);
  await eventually('the introduction', () => out().includes('EDGE_TOKEN=rehearsal'));
  const [, url] = /platform at (\S+),/.exec(out()) ?? [];
  const headers = { accept: 'application/json; version=3', authorization: 'Token rehearsal' };
  const answer = await fetch(`${url}/edge_applications`, { headers });
  expect(await answer.json()).toMatchObject({ count: 5 });
  end();
  expect(await exitCode).toBe(0);
});

test('a mistake in its file ends with 2 and is named', async () => {
  const path = file('configurations: many\n');
  const { exitCode, err } = begin([`--sandbox.config.file=${path}`]);
  expect(await exitCode).toBe(2);
  expect(err()).toContain(`error: ${path}: `);
  expect(err()).toContain('configurations');
});
