import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

/** Path of the built program (`npm run build`), because these tests examine the process. */
const MAIN = join(import.meta.dirname, '../dist/main.js');
const BROKEN = join(import.meta.dirname, 'config/unknown-key.yaml');

if (!existsSync(MAIN)) throw new Error('dist is missing: npm run build');

function start(args: string[], nodeArgs: string[] = []) {
  const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args], { env: {} });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  return { child, ended };
}

test('the process ends with the exit code of the command', async () => {
  const good = start(['--version']);
  expect([await text(good.child.stdout), await good.ended]).toEqual([
    expect.stringMatching(/^edge-exporter /),
    0,
  ]);
  const bad = start(['check-config', `--config.file=${BROKEN}`]);
  expect([await text(bad.child.stderr), await bad.ended]).toEqual([
    expect.stringContaining('did you mean'),
    2,
  ]);
});

test('SIGHUP while serve is starting ends nothing, and reloads once it has started', async () => {
  // The signal is sent as soon as the program's own code runs, long before it listens.
  const sent = `process.on('newListener', (event) => {
    if (event === 'SIGTERM') setImmediate(() => process.kill(process.pid, 'SIGHUP'));
  });`;
  const { child, ended } = start(
    ['--sandbox', '--web.listen-address=127.0.0.1:0'],
    [`--import=data:text/javascript,${encodeURIComponent(sent)}`],
  );
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  await eventually(
    'it has reloaded',
    () => log.includes('configuration reloaded') || child.signalCode !== null,
  );
  child.kill('SIGTERM');
  expect([await ended, log]).toEqual([0, expect.stringContaining('configuration reloaded')]);
});

test('SIGHUP ends every other command, as it does by default', async () => {
  const { child, ended } = start(['sandbox', '--sandbox.listen-address=127.0.0.1:0']);
  await once(child.stdout, 'data');
  child.kill('SIGHUP');
  expect(await ended).toBe('SIGHUP');
});

test('SIGUSR1 opens no inspector', async () => {
  const { child, ended } = start(['sandbox', '--sandbox.listen-address=127.0.0.1:0']);
  let log = '';
  child.stderr.on('data', (text) => {
    log += text;
  });
  const [printed] = await once(child.stdout, 'data');
  const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(String(printed)) ?? [];
  child.kill('SIGUSR1');
  // Node's inspector would print a message before the process has answered all these requests.
  for (let requests = 0; requests < 20; requests += 1) await (await fetch(url)).text();
  child.kill('SIGTERM');
  expect([await ended, log]).toEqual([0, '']);
});

test('what packages have for HTTP/2 is not in the program, so that a start does not load it', async () => {
  const told = `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('; ')));`;
  const { child, ended } = start(
    ['--web.listen-address=127.0.0.1:0', '--sandbox'],
    [`--import=data:text/javascript,${encodeURIComponent(told)}`],
  );
  let loaded = '';
  child.stderr.on('data', (text) => {
    loaded += text;
  });
  await eventually('it listens', () => loaded.includes('listening'));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(loaded).toContain('NativeModule https;');
  expect(loaded).not.toContain('NativeModule http2;');
});

test('a reader that leaves is no reason to fail', async () => {
  const { child, ended } = start(['check-config', `--config.file=${BROKEN}`]);
  child.stderr.destroy();
  child.stdout.destroy();
  expect(await ended).toBe(2);
});

// Arguments of a command that reads a file. A command that waits for nothing could end before any other code
// runs.
const WAITING = ['check-config', `--config.file=${BROKEN}`];

test.each([['rules'], ['--help'], ['--version']])(
  'a full disk that cannot take the output of %s is a failure',
  async (arg) => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, arg], { env: {}, stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    const ended = once(child, 'close');
    if (child.stderr === null) throw new Error('it is a pipe');
    expect([await text(child.stderr), (await ended)[0]]).toEqual([
      expect.stringMatching(/^error: the output cannot be written: ENOSPC/),
      1,
    ]);
  },
);

test('an error that nobody caught is logged, and ends the process with 1', async () => {
  // The error is thrown as soon as the program has registered its handler.
  const bomb = `process.on('newListener', (event) => {
    if (event === 'uncaughtException') process.nextTick(() => { throw new Error('unforeseen'); });
  });`;
  const { child, ended } = start(WAITING, [`--import=data:text/javascript,${encodeURIComponent(bomb)}`]);
  const log = await text(child.stderr);
  expect(log).toMatch(/^ts=\S+ level=error msg="the program failed: this is a bug" err=unforeseen stack=/);
  expect(await ended).toBe(1);
});

test('a promise that nobody awaited is no less visible', async () => {
  const bomb = `process.on('newListener', (event) => {
    if (event === 'uncaughtException') Promise.reject(new Error('unforeseen'));
  });`;
  const { child, ended } = start(WAITING, [`--import=data:text/javascript,${encodeURIComponent(bomb)}`]);
  expect(await text(child.stderr)).toContain('err=unforeseen');
  expect(await ended).toBe(1);
});
