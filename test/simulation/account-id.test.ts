import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN, DEFAULT_USER } from '../../src/sandbox/sandbox.ts';
import { type Simulation, simulate } from './simulation.ts';

async function shownIds({ scrape }: Simulation): Promise<readonly string[]> {
  const keys = [...(await scrape()).samples.keys()].map(
    (key) => JSON.parse(key) as [string, [string, string][]],
  );
  return keys
    .filter(([name]) => name === 'edge_account_info')
    .map(([, labels]) => new Map(labels).get('account_id') ?? '');
}

it('an account has one id at a time, which a reload or another token in its file changes', async () => {
  const file = join(tmpdir(), `token-${process.pid}-${Date.now()}`);
  await writeFile(file, `${DEFAULT_TOKEN.token}\n`);
  onTestFinished(() => rm(file));
  const simulation = await simulate({ account: { collectors: { domains: {} }, token_file: file } });
  await simulation.minutes(2);
  const [ofFile] = await shownIds(simulation);
  expect(await shownIds(simulation)).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);

  await simulation.reload([], { name: 'renamed' });
  await simulation.minutes(2);
  expect(await shownIds(simulation)).toEqual([ofFile]);

  await simulation.reload([], { quota: { reserve: 0.1 } });
  await simulation.minutes(2);
  expect(await shownIds(simulation)).toEqual([ofFile]);

  await writeFile(file, 'some-other-token\n');
  await simulation.minutes(20);
  const [other, ...more] = await shownIds(simulation);
  expect(more).toEqual([]);
  expect(other).not.toBe(ofFile);
});

it('a reload to another kind of credentials leaves no scrape without an id, or with two', async () => {
  const simulation = await simulate({ account: { collectors: { domains: {} } } });
  const ids = [await shownIds(simulation)];
  for (const credentials of [DEFAULT_USER, {}]) {
    await simulation.reload([], credentials);
    for (let scrape = 0; scrape < 70; scrape += 1) {
      ids.push(await shownIds(simulation));
      await simulation.minutes(1 / 60);
    }
  }
  expect(ids.filter(({ length }) => length !== 1)).toEqual([]);
  expect(new Set(ids.flat()).size).toBe(2);
});

it('the id shows for as long as the account is polled, and follows another token in its file', async () => {
  const file = join(tmpdir(), `lasting-token-${process.pid}-${Date.now()}`);
  await writeFile(file, DEFAULT_TOKEN.token);
  onTestFinished(() => rm(file));
  const tokens = [DEFAULT_TOKEN, { ...DEFAULT_TOKEN, token: 'another' }];
  const simulation = await simulate({
    sandbox: { tokens },
    account: { collectors: { domains: {} }, token_file: file },
  });
  await simulation.minutes(2);
  const former = await shownIds(simulation);
  expect(former).toHaveLength(1);
  await simulation.minutes(60);
  expect(await shownIds(simulation)).toEqual(former);
  await writeFile(file, 'another');
  await simulation.minutes(1);
  const latter = await shownIds(simulation);
  expect(latter).toHaveLength(1);
  expect(latter).not.toEqual(former);
});
