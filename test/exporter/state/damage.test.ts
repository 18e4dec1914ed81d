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

/** More by `DAMAGED_STATES=1000 npx vitest run test/exporter/state/damage.test.ts`. */
const TRIALS = Number(process.env['DAMAGED_STATES'] ?? inLongSuite(100, 20));
const FIRST = Number(process.env['FIRST_DAMAGED_STATE'] ?? 0);
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

/** The same records as an orderly end leaves them, and as kill -9 does, with a log beside the database. */
async function writePristine(): Promise<void> {
  const working = join(parent, 'working');
  const first = await openState(working, log, UNHURRIED);
  await commitAll(first, 1);
  await first.close();
  await cp(working, join(parent, 'older'), { recursive: true, filter: noLock });
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
  for (const name of await setAsidePlaces()) await rm(join(parent, name), { recursive: true });
  await rm(directory, { recursive: true });
});

afterAll(() => rm(parent, { recursive: true }));

const take = (pristine: string) => cp(join(parent, pristine), directory, { recursive: true, force: true });

async function setAsidePlaces(): Promise<string[]> {
  return (await readdir(parent)).filter((name) => name.includes('.set-aside-'));
}

/** Whether the state is whole and of the newest commit; the only other thing that it may be is empty. */
async function isWhole(state: State): Promise<boolean> {
  const entries = await state.range([], { limit: RECORDS + 1 });
  const found = new Map(entries.map(({ key, value }) => [key.join(), value]));
  for (const key of state.keys([])) expect(state.get(key)).toEqual(found.get(key.join()));
  if (found.size === 0) return false;
  const expected = Array.from({ length: RECORDS }, (_, n) => [keyOf(n).join(), contentOf(n, 2)] as const);
  expect(found).toEqual(new Map(expected));
  return true;
}

/** Opens what was damaged, and tells what became of it. */
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
    ['empty', () => truncate(join(directory, DATABASE), 0)],
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
    ['gone', () => rm(join(directory, DATABASE))],
    [
      'older than its last commit',
      () =>
        cp(join(parent, 'older'), directory, {
          recursive: true,
          filter: (path) => !path.endsWith('last-commit'),
        }),
    ],
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
    expect(await readFile(join(parent, aside, DATABASE))).toEqual(garbage(100_000));
  });

  it.each([
    ['value', 63, 16],
    // What is no UTF-8 ends the process where libsql is to make a text of it.
    ['name', 30, 128],
  ])('is known by a single bit of a single %s', async (_of, distance, bit) => {
    await take('closed');
    const bytes = await contentOfFile(DATABASE);
    const name = Buffer.from('series/production/metrics/configuration-43/');
    // Every copy of the record, those in unused pages too.
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1))
      await overwrite(DATABASE, at + distance, Buffer.from([(bytes[at + distance] ?? 0) ^ bit]));
    expect(await openDamaged()).toBe('set aside');
  });

  it('is known by a page that was never written, and is still the older one', async () => {
    await take('closed');
    const older = await readFile(join(parent, 'older', DATABASE));
    const newest = await contentOfFile(DATABASE);
    const record = (bytes: Buffer) => bytes.indexOf('series/production/metrics/configuration-43/');
    const page = Math.floor(record(newest) / 4096) * 4096;
    expect(Math.floor(record(older) / 4096) * 4096).toBe(page);
    await overwrite(DATABASE, page, older.subarray(page, page + 4096));
    expect(await openDamaged()).toBe('set aside');
  });

  it('is known by a log that breaks off before the last commit, which SQLite takes for its end', async () => {
    await take('killed');
    const { length } = await contentOfFile(LOG);
    await overwrite(LOG, length - 20_000, Buffer.from([0xff, 0, 0xff]));
    expect(await openDamaged()).toBe('set aside');
  });

  it('is none where the last write to the log was cut off by a loss of power', async () => {
    await take('killed');
    await appendFile(join(directory, LOG), garbage(2_000));
    expect(await openDamaged()).toBe('whole');
  });
});

/** Numbers from 0 to 1, the same at each run. */
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
    const at = Math.min(
      Math.floor((random() * bytes.length) / 4096) * 4096 + Math.floor(random() * 32),
      bytes.length - 1,
    );
    return overwrite(name, at, Buffer.from([(bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))]));
  },
  'a sector of zeros': (name, bytes, random) =>
    overwrite(name, Math.floor((random() * bytes.length) / 512) * 512, Buffer.alloc(512)),
  'a sector of garbage': (name, bytes, random) =>
    overwrite(
      name,
      Math.floor((random() * bytes.length) / 512) * 512,
      garbage(512, Math.floor(random() * 1e4)),
    ),
  'one page in the place of another': (name, bytes, random) => {
    const pageAt = () => Math.floor((random() * bytes.length) / 4096) * 4096;
    const from = pageAt();
    return overwrite(name, pageAt(), bytes.subarray(from, from + 4096));
  },
  'a page of an older state': async (name, bytes, random) => {
    const older = await readFile(join(parent, 'older', DATABASE));
    const page = Math.floor((random() * older.length) / 4096) * 4096;
    if (name === DATABASE && page < bytes.length)
      await overwrite(name, page, older.subarray(page, page + 4096));
  },
  'an end too early': (name, bytes, random) =>
    truncate(join(directory, name), Math.floor(random() * bytes.length)),
  'no file': (name) => rm(join(directory, name)),
};

it(`${TRIALS} damaged states are the newest, whole, or set aside`, async () => {
  const outcomes = new Map<string, number>();
  for (let trial = FIRST; trial < FIRST + TRIALS; trial++) {
    const random = randomFrom(trial);
    const pick = <Of>(all: readonly Of[]): Of => all[Math.floor(random() * all.length)] as Of;
    random();
    await take(trial % 2 === 0 ? 'closed' : 'killed');
    const names = (await readdir(directory)).filter((name) => name !== 'edge-exporter-state.json');
    const [kind, damage] = pick(Object.entries(DAMAGES));
    // The small file of the last commit's number is hit as rarely as chance would.
    const name = random() < 0.05 ? 'last-commit' : pick(names.filter((name) => name !== 'last-commit'));
    await damage(name, await contentOfFile(name), random);
    const outcome = await openDamaged().catch((error: Error) => {
      throw new Error(`trial ${trial}, ${kind} in ${name}: ${error.message}`);
    });
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    for (const aside of await setAsidePlaces()) await rm(join(parent, aside), { recursive: true });
    await rm(directory, { recursive: true });
    warnings = [];
    directory = await mkdtemp(join(parent, 'damaged-'));
  }
  expect(outcomes.get('whole')).toBeGreaterThan(TRIALS / 20);
  expect(outcomes.get('set aside')).toBeGreaterThan(TRIALS / 3);
});
