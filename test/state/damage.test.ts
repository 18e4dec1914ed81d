import {
  cp,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import type { State } from '../../src/state/state.ts';

const RECORDS = 150;
const META_BYTES = 2 * 4096;
let parent: string;
let pristine: string;
let directory: string;
let database: string;
let warnings: string[];
const log = { info() {}, warn: (message: string) => void warnings.push(message) };

const keyOf = (n: number) => ['series', 'production', 'metrics', `configuration-${n}`];
const contentOf = (n: number, generation: number) =>
  Array.from({ length: 8 }, (_, i) => [n * 1000.5 + i, generation]);

/** Two commits, so that older versions of every record lie about in the file. */
async function writePristine(): Promise<void> {
  const state = await openState(pristine, log);
  for (const generation of [1, 2]) {
    for (let n = 0; n < RECORDS; n += 10) {
      const some = Array.from({ length: 10 }, (_, i) => n + i);
      await state.commit(some.map((i) => ({ key: keyOf(i), value: contentOf(i, generation) })));
    }
  }
  await state.close();
}

beforeAll(async () => {
  warnings = [];
  parent = await mkdtemp(join(tmpdir(), 'state-damage-'));
  pristine = join(parent, 'pristine');
  await writePristine();
});

beforeEach(async () => {
  directory = await mkdtemp(join(parent, 'damaged-'));
  database = join(directory, 'counters.mdb');
  await cp(pristine, directory, { recursive: true });
  warnings = [];
});

afterEach(() => rm(directory, { recursive: true }));
afterAll(() => rm(parent, { recursive: true }));

/** The records present, after checking that each of them is whole and of the newest commit. */
function countExact(state: State): number {
  let count = 0;
  for (let n = 0; n < RECORDS; n++) {
    const value = state.get(keyOf(n));
    if (value === undefined) continue;
    expect(value).toEqual(contentOf(n, 2));
    count++;
  }
  expect([...state.keys([])]).toHaveLength(count);
  return count;
}

async function setAsidePlaces(): Promise<string[]> {
  return (await readdir(parent)).filter((name) => name.includes('.set-aside-'));
}

async function overwrite(path: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await openFile(path, 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

const garbage = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 7919 + 13) & 0xff));

describe('a damaged database', () => {
  afterEach(async () => {
    for (const name of await setAsidePlaces()) await rm(join(parent, name), { recursive: true });
  });

  it.each([
    ['empty', () => truncate(database, 0)],
    ['cut within its first page', () => truncate(database, 100)],
    ['cut after its first pages', () => truncate(database, META_BYTES)],
    ['cut in half', async () => truncate(database, (await stat(database)).size / 2)],
    ['all zeros', async () => writeFile(database, Buffer.alloc((await stat(database)).size))],
    [
      'zeros after its first pages',
      async () => overwrite(database, META_BYTES, Buffer.alloc((await stat(database)).size - META_BYTES)),
    ],
    ['garbage', () => writeFile(database, garbage(100_000))],
    [
      'garbage after its first pages',
      async () => overwrite(database, META_BYTES, garbage((await stat(database)).size - META_BYTES)),
    ],
  ])('that is %s is set aside, and the state begins anew', async (_case, damage) => {
    await damage();
    const damaged = await readFile(database);
    const state = await openState(directory, log);
    expect(state.kind).toBe('durable');
    expect(countExact(state)).toBe(0);
    expect(warnings).toEqual([state.note]);
    const [aside = ''] = await setAsidePlaces();
    expect(state.note).toContain(join(parent, aside));
    expect(damaged.equals(await readFile(join(parent, aside, 'counters.mdb')))).toBe(true);
    await state.commit([{ key: ['works'], value: 1 }]);
    await state.close();
  });

  it('with flipped bits anywhere gives the newest value of a record or none, and says which', async () => {
    const original = await readFile(database);
    let dropped = 0;
    for (let round = 0; round < 25; round++) {
      const at = META_BYTES + ((round * 7_368_787 + 4321) % (original.length - META_BYTES));
      await writeFile(database, original);
      await overwrite(database, at, Buffer.from([(original[at] ?? 0) ^ (1 << (round % 8))]));
      warnings = [];
      const state = await openState(directory, log);
      expect(state.kind).toBe('durable');
      const lost = RECORDS - countExact(state);
      expect(warnings).toHaveLength(lost === 0 ? 0 : 1);
      if (lost > 0 && lost < RECORDS) {
        expect(state.note).toContain(`${lost} of ${RECORDS} records`);
        dropped++;
      }
      await state.close();
    }
    expect(dropped).toBeGreaterThan(0);
  });

  it('drops and counts exactly the record of a flipped value', async () => {
    const bytes = await readFile(database);
    const name = Buffer.from('series/production/metrics/configuration-42/');
    // Every copy of the record, the older ones too.
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      const inValue = at + name.length + 20;
      await overwrite(database, inValue, Buffer.from([(bytes[inValue] ?? 0) ^ 16]));
    }
    const state = await openState(directory, log);
    expect(countExact(state)).toBe(RECORDS - 1);
    expect(state.get(keyOf(42))).toBeUndefined();
    expect(state.note).toContain(`1 of ${RECORDS} records`);
    await state.close();
    warnings = [];
    await (await openState(directory, log)).close();
    expect(warnings).toEqual([]);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['garbage', garbage(8272)],
    ['cut', Buffer.alloc(10)],
  ])('is none when only the lock file of the database is %s', async (_case, content) => {
    await writeFile(`${database}-lock`, content);
    const state = await openState(directory, log);
    expect(countExact(state)).toBe(RECORDS);
    expect(warnings).toEqual([]);
    await state.close();
  });

  it('is none when a start was interrupted while it wrote the new database', async () => {
    await writeFile(`${database}.next`, garbage(5000));
    const state = await openState(directory, log);
    expect(countExact(state)).toBe(RECORDS);
    await state.close();
  });
});
