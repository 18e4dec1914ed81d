import {
  appendFile,
  cp,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openState } from '../../../src/exporter/state/open-state.ts';
import { QUEUE, type State } from '../../../src/exporter/state/state.ts';
import { inLongSuite } from '../../long-suite.ts';
import { UNHURRIED } from './unhurried.ts';

/**
 * Number of trials. Run more with `DAMAGED_STATES=1000 npx vitest run test/exporter/state/damage.test.ts`.
 */
const TRIALS = Number(process.env['DAMAGED_STATES'] ?? inLongSuite(100, 20));
const RECORDS = 150;
const DATABASE = 'state.db';
const LOG = 'state.db-wal';
let parent: string;
let directory: string;
let warnings: string[];
const log = { info() {}, warn: (message: string) => void warnings.push(message) };

const keyOf = (n: number) =>
  n % 3 === 0 ? [QUEUE, 'push', `${n}`] : ['series', 'production', 'metrics', `configuration-${n}`];
const contentOf = (n: number, generation: number) =>
  Array.from({ length: 8 }, (_, i) => [n * 1000.5 + i, generation]);

async function commitAll(state: State, generation: number): Promise<void> {
  for (let n = 0; n < RECORDS; n += 10) {
    const some = Array.from({ length: 10 }, (_, i) => n + i);
    await state.commit(some.map((i) => ({ key: keyOf(i), value: contentOf(i, generation) })));
  }
}

/**
 * Writes the same records into two states: one that is closed, and one after kill -9 with a write-ahead log.
 */
async function writePristine(): Promise<void> {
  const working = join(parent, 'working');
  const first = await openState(working, log, UNHURRIED);
  await commitAll(first, 1);
  await first.close();
  const state = await openState(working, log, UNHURRIED);
  await commitAll(state, 2);
  await cp(working, join(parent, 'killed'), { recursive: true, filter: noLock });
  await state.close();
  await cp(working, join(parent, 'closed'), { recursive: true, filter: noLock });
}

const noLock = (path: string) => !path.endsWith('lock.db');

beforeAll(async () => {
  warnings = [];
  parent = await mkdtemp(join(tmpdir(), 'state-damage-'));
  await writePristine();
  expect((await readFile(join(parent, 'killed', LOG))).length).toBeGreaterThan(100_000);
  expect(await readdir(join(parent, 'closed'))).not.toContain(LOG);
});

beforeEach(async () => {
  directory = await mkdtemp(join(parent, 'damaged-'));
  warnings = [];
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

afterAll(() => rm(parent, { recursive: true }));

const take = (pristine: string) => cp(join(parent, pristine), directory, { recursive: true, force: true });

async function setAsidePlaces(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith(`${DATABASE}.set-aside-`));
}

async function isWhole(state: State): Promise<boolean> {
  const entries = await state.range([], { limit: RECORDS + 1 });
  const found = new Map(entries.map(({ key, value }) => [key.join(), value]));
  for (const key of state.keys([])) expect(state.get(key)).toEqual(found.get(key.join()));
  if (found.size === 0) return false;
  const expected = Array.from({ length: RECORDS }, (_, n) => [keyOf(n).join(), contentOf(n, 2)] as const);
  expect(found).toEqual(new Map(expected));
  return true;
}

async function openDamaged(): Promise<'whole' | 'set aside'> {
  const state = await openState(directory, log, UNHURRIED);
  expect(state.kind, state.note).toBe('durable');
  const whole = await isWhole(state);
  expect(warnings).toEqual(whole ? [] : [state.note]);
  expect(await setAsidePlaces()).toHaveLength(whole ? 0 : 1);
  if (!whole) expect(state.note).toContain((await setAsidePlaces())[0]);
  await state.commit([{ key: ['works'], value: 1 }]);
  await state.close();
  return whole ? 'whole' : 'set aside';
}

async function overwrite(name: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await openFile(join(directory, name), 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

const contentOfFile = (name: string) => readFile(join(directory, name));
const garbage = (length: number, seed = 7919) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * seed + 13) & 0xff));

describe('a damaged database', () => {
  it.each([
    ['cut within its first page', () => truncate(join(directory, DATABASE), 100)],
    ['cut after its first page', () => truncate(join(directory, DATABASE), 4096)],
    [
      'cut in half',
      async () => truncate(join(directory, DATABASE), (await contentOfFile(DATABASE)).length / 2),
    ],
    [
      'all zeros',
      async () => writeFile(join(directory, DATABASE), Buffer.alloc((await contentOfFile(DATABASE)).length)),
    ],
    ['garbage', () => writeFile(join(directory, DATABASE), garbage(100_000))],
  ])('that is %s is set aside, and the state begins anew', async (_case, damage) => {
    await take('closed');
    await damage();
    expect(await openDamaged()).toBe('set aside');
  });

  it('is kept as it was found, for whoever wants to look at it', async () => {
    await take('closed');
    await writeFile(join(directory, DATABASE), garbage(100_000));
    expect(await openDamaged()).toBe('set aside');
    const [aside = ''] = await setAsidePlaces();
    expect(await readFile(join(directory, aside))).toEqual(garbage(100_000));
  });

  it('keeps the records that can be decoded where others cannot', async () => {
    await take('closed');
    const name = Buffer.from('series/production/metrics/configuration-43/');
    const bytes = await contentOfFile(DATABASE);
    // Damages every copy of the record, including those in unused pages.
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1))
      await overwrite(DATABASE, at + name.length, Buffer.from([0xc1]));
    const state = await openState(directory, log, UNHURRIED);
    expect(state.note).toMatch(/^1 records of the state in .* cannot be decoded and were set aside/);
    expect(warnings).toEqual([state.note]);
    expect([...state.keys([])]).toHaveLength((RECORDS * 2) / 3 - 1);
    expect(state.get(keyOf(44))).toEqual(contentOf(44, 2));
    await state.close();
    const again = await openState(directory, log, UNHURRIED);
    expect([again.note, [...again.keys([])].length]).toEqual([undefined, (RECORDS * 2) / 3 - 1]);
    await again.close();
  });

  it('is none where the last write to the log was cut off by a loss of power', async () => {
    await take('killed');
    await appendFile(join(directory, LOG), garbage(2_000));
    expect(await openDamaged()).toBe('whole');
  });
});

/** Returns random numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Damage = (name: string, bytes: Buffer, random: () => number) => Promise<void>;

const DAMAGES: Record<string, Damage> = {
  'a bit': (name, bytes, random) => {
    const at = Math.floor(random() * bytes.length);
    return overwrite(name, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))]));
  },
  'a bit of a page head': (name, bytes, random) => {
    const page = Math.floor((random() * bytes.length) / 4096) * 4096;
    const at = Math.min(page + Math.floor(random() * 32), bytes.length - 1);
    return overwrite(name, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))]));
  },
  'a sector of garbage': (name, bytes, random) =>
    overwrite(
      name,
      Math.floor((random() * bytes.length) / 512) * 512,
      garbage(512, Math.floor(random() * 1e4)),
    ),
  'an end too early': (name, bytes, random) =>
    truncate(join(directory, name), Math.floor(random() * bytes.length)),
};

it(`${TRIALS} damaged states end nothing: each is opened or set aside, and takes commits`, async () => {
  let aside = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const random = randomFrom(trial);
    const pick = <Of>(all: readonly Of[]): Of => all[Math.floor(random() * all.length)] as Of;
    random();
    await take(trial % 2 === 0 ? 'closed' : 'killed');
    const names = await readdir(directory);
    const [kind, damage] = pick(Object.entries(DAMAGES));
    const name = pick(names);
    await damage(name, await contentOfFile(name), random);
    const what = `trial ${trial}, ${kind} in ${name}`;
    const state = await openState(directory, log, UNHURRIED);
    expect([state.kind, state.note], what).toEqual(['durable', state.note]);
    for (const key of state.keys([])) state.get(key);
    // SQLite reports some damage only when it reads.
    await state
      .range([], { limit: RECORDS })
      .catch((error: Error) => expect(error.name).toBe('DamagedState'));
    await state.commit([{ key: ['works'], value: 1 }]);
    await state.close();
    aside += (await setAsidePlaces()).length;
    await rm(directory, { recursive: true });
    directory = await mkdtemp(join(parent, 'damaged-'));
  }
  expect(aside).toBeGreaterThan(TRIALS / 5);
});
