import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DamagedState } from '../../src/state/database.ts';
import { lmdbRecords } from '../../src/state/format-1/lmdb-file.ts';
import { readFormat1 } from '../../src/state/format-1/read-format-1.ts';
import { openState } from '../../src/state/open-state.ts';
import type { State } from '../../src/state/state.ts';
import { UNHURRIED } from './unhurried.ts';

/** A state that version 0.1 left behind when it was killed, after three hours of the embedded platform. */
const FIXTURE = 'test/fixtures/state-v1';
const DATABASE = 'counters.mdb';
const entries: readonly [key: string[], value: unknown][] = JSON.parse(
  await readFile(join(FIXTURE, 'entries.json'), 'utf8'),
);

let parent: string;
let directory: string;
let lines: string[];
let warnings: string[];
const log = {
  info: (message: string) => void lines.push(message),
  warn: (message: string) => void warnings.push(message),
};

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'format-1-'));
  directory = join(parent, 'state');
  lines = [];
  warnings = [];
  for (const name of [DATABASE, 'edge-exporter-state.json']) {
    await cp(join(FIXTURE, name), join(directory, name));
  }
});

afterEach(() => rm(parent, { recursive: true }));

const contentOf = (state: State) => [...state.keys([])].map((key) => [key, state.get(key)]);

async function open(): Promise<{ readonly state: State; readonly content: unknown[] }> {
  const state = await openState(directory, log, UNHURRIED);
  expect(state.kind).toBe('durable');
  return { state, content: contentOf(state) };
}

describe('a state of format 1', () => {
  it('keeps every total and watermark', async () => {
    expect(entries.length).toBeGreaterThan(40);
    const { state, content } = await open();
    expect(state.note).toBeUndefined();
    expect(content).toEqual(entries);
    expect(lines.join()).toContain(`migrated from format 1: ${entries.length} records`);
    await state.close();
  });

  it('is migrated once: a later start takes the new state, and no total goes back to the old one', async () => {
    const first = await open();
    await first.state.commit([{ key: entries[0]?.[0] ?? [], value: 'newer' }]);
    await first.state.close();
    lines = [];
    const second = await open();
    expect(second.content[0]).toEqual([entries[0]?.[0], 'newer']);
    expect(lines.join()).not.toContain('migrated');
    await second.state.close();
  });

  it('is migrated anew where the first attempt was cut off', async () => {
    await (await open()).state.close();
    await cp(join(FIXTURE, 'edge-exporter-state.json'), join(directory, 'edge-exporter-state.json'));
    await truncate(join(directory, 'state.db'), 5_000);
    const { state, content } = await open();
    expect(content).toEqual(entries);
    await state.close();
    expect(warnings).toEqual([]);
  });

  it('begins empty where it had no database yet', async () => {
    await rm(join(directory, DATABASE));
    const { state, content } = await open();
    expect(content).toEqual([]);
    expect(state.note).toBeUndefined();
    await state.close();
  });

  it('is set aside, whole, when it is damaged', async () => {
    const damaged = Buffer.from(await readFile(join(directory, DATABASE)));
    damaged.fill(0xa5, damaged.indexOf('series/production/') + 40);
    await writeFile(join(directory, DATABASE), damaged);
    const { state, content } = await open();
    expect(content).toEqual([]);
    expect(warnings).toEqual([state.note]);
    await state.close();
    const [aside = ''] = (await readdir(parent)).filter((name) => name.includes('set-aside'));
    expect(await readFile(join(parent, aside, DATABASE))).toEqual(damaged);
  });

  it('is read as it was, or not at all, with damage in any of its pages', async () => {
    const bytes = await readFile(join(directory, DATABASE));
    const names = (await readFormat1(directory)).map(({ name }) => name);
    let refused = 0;
    for (let at = 300; at < bytes.length; at += 512) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, at, at + 60);
      await writeFile(join(directory, DATABASE), damaged);
      const read = await readFormat1(directory).catch((error: unknown) => {
        expect(error).toBeInstanceOf(DamagedState);
        refused++;
      });
      if (read) expect(read.map(({ name }) => name)).toEqual(names);
    }
    expect(refused).toBeGreaterThan(20);
  });
});

describe('reading an LMDB file', () => {
  const bytes = fc.uint8Array({ maxLength: 9_000 });
  const record = fc.tuple(fc.stringMatching(/^[a-z0-9/%.]{1,400}$/), bytes);
  /** Records in an order of their own, as text: of a million bytes each would be compared by itself, at length. */
  const linesOf = (records: Iterable<readonly [string, Buffer]>) =>
    [...records].map(([name, value]) => `${name} ${value.toString('hex')}`).sort();

  it('gives what LMDB wrote, in few and many pages, small and large', async () => {
    const path = join(parent, 'file.mdb');
    const check = async (commits: (readonly [string, Uint8Array])[][]) => {
      await rm(path, { force: true });
      const database = openLmdb<Buffer, Buffer>({
        path,
        noSubdir: true,
        maxDbs: 1,
        encoding: 'binary',
        keyEncoding: 'binary',
      });
      const expected = new Map<string, Buffer>();
      for (const commit of commits) {
        database.transactionSync(() => {
          for (const [name, value] of commit) database.putSync(Buffer.from(name), Buffer.from(value));
        });
        for (const [name, value] of commit) expected.set(name, Buffer.from(value));
      }
      await database.close();
      const found = [...lmdbRecords(await readFile(path))].map(
        ({ name, bytes }) => [name, Buffer.from(bytes)] as const,
      );
      expect(linesOf(found)).toEqual(linesOf(expected));
    };
    const many = Array.from({ length: 3_000 }, (_, n) => [`series/${n}/`, new Uint8Array(300)] as const);
    await check([many]);
    await fc.assert(fc.asyncProperty(fc.array(fc.array(record), { maxLength: 4 }), check), { numRuns: 20 });
  });

  it('ends with a RangeError or with fewer records on any damaged file', async () => {
    const file = await readFile(join(FIXTURE, DATABASE));
    const damage = fc.array(fc.tuple(fc.nat({ max: file.length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(damage, fc.integer({ min: 0, max: file.length }), (writes, end) => {
        const damaged = Buffer.from(file.subarray(0, end));
        for (const [at, byte] of writes) if (at < end) damaged[at] = byte;
        try {
          [...lmdbRecords(damaged)];
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
