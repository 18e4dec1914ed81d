import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/exporter/clock.ts';
import { readPasswordFile, tokenFile } from '../../../src/exporter/credentials/secret-file.ts';
import { Client } from '../../../src/exporter/platform/client.ts';
import { recordedClient } from '../platform/recorded-client.ts';
import { sendJson, startUpstream } from '../platform/upstream.ts';

const never = new AbortController().signal;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token-file-'));
  path = join(folder, 'token');
  onTestFinished(() => rm(folder, { recursive: true }));
});

const tokenOf = async (file: ReturnType<typeof tokenFile>) => (await file.authorization(never)).reveal();

test('the token is the trimmed content', async () => {
  await writeFile(path, '\uFEFF  tok-1 \r\n');
  expect(await tokenOf(tokenFile(path))).toBe('tok-1');
});

test('a change counts at once, also one of the same length in the same second', async () => {
  await writeFile(path, 'tok-1');
  const file = tokenFile(path);
  await tokenOf(file);
  await writeFile(path, 'tok-2');
  expect(await tokenOf(file)).toBe('tok-2');
  expect(file.secrets().map((secret) => secret.reveal())).toEqual(['tok-2', 'tok-1']);
});

test('a look alone finds the owner of another token, one look at a time, and keeps the last where there is none', async () => {
  const file = tokenFile(path);
  await file.look();
  expect(file.owner()).toBeUndefined();
  await writeFile(path, 'tok-1');
  await file.look();
  expect(file.owner()?.reveal()).toBe('tok-1');
  await writeFile(path, 'tok-2');
  const look = file.look();
  expect(file.look()).toBe(look);
  await look;
  expect(file.owner()?.reveal()).toBe('tok-2');
  await rm(path);
  await file.look();
  expect(file.owner()?.reveal()).toBe('tok-2');
});

test('a file replaced by another with the same size and time counts', async () => {
  const time = new Date(1_700_000_000_000);
  await writeFile(path, 'tok-1');
  await utimes(path, time, time);
  const file = tokenFile(path);
  await tokenOf(file);
  await writeFile(join(folder, 'new'), 'tok-2');
  await utimes(join(folder, 'new'), time, time);
  await rename(join(folder, 'new'), path);
  expect(await tokenOf(file)).toBe('tok-2');
});

test('a mounted secret, swapped by a symbolic link of a folder, counts', async () => {
  for (const name of ['1', '2']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'token'), `tok-${name}`);
  }
  await symlink('1', join(folder, 'data'));
  const file = tokenFile(join(folder, 'data', 'token'));
  expect(await tokenOf(file)).toBe('tok-1');
  await symlink('2', join(folder, 'data-new'));
  await rename(join(folder, 'data-new'), join(folder, 'data'));
  expect(await tokenOf(file)).toBe('tok-2');
});

test.each([
  ['missing', async () => undefined, 'cannot be read: no such file'],
  ['empty', () => writeFile(path, ' \n'), 'is empty'],
  [
    'of two words',
    () => writeFile(path, 'Token abc'),
    'contains characters that no token has, such as a space',
  ],
  ['a folder', () => mkdir(path), 'cannot be read: it is a folder'],
  ['huge', () => writeFile(path, 'x'.repeat(1_000_000)), 'cannot be read: it is not a small regular file'],
])('a file that is %s is said to be so', async (_, prepare, words) => {
  await prepare();
  await expect(tokenFile(path).authorization(never)).rejects.toMatchObject({
    outcome: 'unauthorized',
    message: `the token in ${path} ${words}`,
  });
});

test('the last good token serves while the file cannot be read, until the platform refuses it', async () => {
  await writeFile(path, 'tok-1');
  const file = tokenFile(path);
  const used = await file.authorization(never);
  for (const damage of [() => writeFile(path, ''), () => rm(path)]) {
    await damage();
    expect(await tokenOf(file)).toBe('tok-1');
  }
  await expect(file.refused(used, never)).rejects.toMatchObject({
    outcome: 'unauthorized',
    message: `the token in ${path} cannot be read: no such file`,
  });
  await writeFile(path, 'tok-2');
  expect(await tokenOf(file)).toBe('tok-2');
});

test('a refused token is tried again only when the file holds another one', async () => {
  await writeFile(path, 'tok-1');
  const file = tokenFile(path);
  const used = await file.authorization(never);
  expect(await file.refused(used, never)).toBe(false);
  await writeFile(path, 'tok-2');
  expect(await file.refused(used, never)).toBe(true);
  expect(await tokenOf(file)).toBe('tok-2');
});

test('a client whose token was renewed between two polls sends the new one', async () => {
  const upstream = await startUpstream((request, response) => {
    const good = request.headers.authorization === 'Token tok-2';
    sendJson(response, good ? 'fine' : { detail: 'Invalid token.' }, { status: good ? 200 : 401 });
  });
  await writeFile(path, 'tok-1');
  const client = recordedClient(
    new Client({
      baseUrl: upstream.origin,
      credentials: tokenFile(path),
      timeoutMs: 20_000,
      maxResponseBytes: 1_000,
      connections: 1,
      clock: systemClock,
    }),
  );
  onTestFinished(() => client.close());
  await expect(client.get({ path: '/x', version: 1 }, never)).rejects.toThrow('HTTP 401: Invalid token.');
  await writeFile(path, 'tok-2');
  expect((await client.get({ path: '/x', version: 1 }, never)).body).toBe('fine');
  expect(upstream.arrivals).toHaveLength(2);
});

test('a path through something that is no folder is said to be so', async () => {
  await writeFile(path, 'tok-1');
  await expect(tokenFile(join(path, 'token')).authorization(never)).rejects.toThrow(
    'part of its path is not a folder',
  );
});

test('a password is read from its file the same way, and an empty one is never sent', async () => {
  await writeFile(path, 'pass word\n');
  expect((await readPasswordFile(path, 'the password')).reveal()).toBe('pass word');
  await expect(readPasswordFile(`${path}x`, 'the password')).rejects.toThrow(
    'the password cannot be read: no such file',
  );
  await writeFile(path, '\n');
  await expect(readPasswordFile(path, 'the password')).rejects.toThrow('the password is empty');
});
