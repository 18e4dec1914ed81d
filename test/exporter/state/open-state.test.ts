import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateInUse } from '../../../src/exporter/state/directory.ts';
import { openState, StateRequired } from '../../../src/exporter/state/open-state.ts';
import { OtherFormat } from '../../../src/exporter/state/sqlite.ts';
import { StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { callProgram } from '../../commands/call-program.ts';
import { eventually } from '../../eventually.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const ASIDE = 'state.db.set-aside-2026-01-02T12-00-00.000Z';
let parent: string;
let directory: string;
let warnings: string[];
const log = { info() {}, warn: (message: string) => void warnings.push(message) };
const open = (place = directory) => openState(place, log, { clock: new SimulatedClock(NOON) });

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'open-state-'));
  directory = join(parent, 'state');
  warnings = [];
});

afterEach(() => rm(parent, { recursive: true }));

async function asOrdinaryUser(folder: string, act: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return act();
  const NOBODY = 65_534;
  await chmod(parent, 0o755);
  for (const path of [folder, ...(await readdir(folder)).map((name) => join(folder, name))])
    await chown(path, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
  }
}

/** Returns the exit code and the error of a `serve` that cannot start. */
async function serveEnds(...more: string[]): Promise<[number, string]> {
  const args = ['serve', `--state.dir=${directory}`, '--web.listen-address=127.0.0.1:0', ...more];
  const env = { EDGE_API_URL: 'http://127.0.0.1:9', EDGE_TOKEN: 'x' };
  const { exitCode, err } = await callProgram(args, { env, signal: AbortSignal.timeout(100_000) });
  return [exitCode, err];
}

describe('opening a state directory', () => {
  it('creates a missing one for its owner alone', async () => {
    const state = await open(join(directory, 'deeper'));
    expect(state).toMatchObject({ kind: 'durable', note: undefined });
    expect((await stat(join(directory, 'deeper'))).mode & 0o777).toBe(0o700);
    await state.close();
    expect(warnings).toEqual([]);
  });

  it('finds again what was committed before', async () => {
    const before = await open();
    await before.commit([{ key: ['total'], value: [0.1 + 0.2, 1_760_000_000_000] }]);
    await before.close();
    const after = await open();
    expect(after.get(['total'])).toEqual([0.1 + 0.2, 1_760_000_000_000]);
    await after.close();
    expect(warnings).toEqual([]);
  });

  it('withholds what it held if its database is gone, until that is restored or the lock is removed too', async () => {
    const before = await open();
    await before.commit([{ key: ['total'], value: 1 }]);
    await before.close();
    await rename(join(directory, 'state.db'), join(parent, 'elsewhere.db'));
    const withheld = await open();
    expect([withheld.kind, warnings.at(-1)]).toEqual([
      'unavailable',
      expect.stringContaining('state.db is missing'),
    ]);
    await withheld.close();
    await rename(join(parent, 'elsewhere.db'), join(directory, 'state.db'));
    const restored = await open();
    expect(restored.get(['total'])).toBe(1);
    await restored.close();
    for (const file of ['state.db', 'lock.db']) await rm(join(directory, file));
    const anew = await open();
    expect([anew.kind, anew.get(['total'])]).toEqual(['durable', undefined]);
    await anew.close();
  });

  it('writes files that only their owner can read', async () => {
    await mkdir(directory, { mode: 0o755 });
    const state = await open();
    await state.commit([{ key: ['total'], value: 1 }]);
    const modes = async () => {
      const names = (await readdir(directory)).filter((name) => name !== 'lock.db');
      const stats = await Promise.all(names.map((name) => stat(join(directory, name))));
      return Object.fromEntries(stats.map(({ mode }, index) => [names[index], (mode & 0o777).toString(8)]));
    };
    expect(await modes()).toEqual({
      'state.db': '600',
      'state.db-wal': '600',
    });
    await state.close();
  });

  it('throws when another exporter holds it, and leaves that one alone', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(StateInUse);
    await first.commit([{ key: ['still'], value: 1 }]);
    expect(first.get(['still'])).toBe(1);
    await first.close();
  });

  it.each([
    ['is a file', async () => writeFile(directory, '')],
    [
      'cannot be created',
      async () => writeFile(join(parent, 'file'), '').then(() => join(parent, 'file', 'state')),
    ],
  ])('refuses commits, with one warning, where the path %s', async (_case, prepare) => {
    const place = (await prepare()) ?? directory;
    const state = await open(place);
    expect(state.kind).toBe('unavailable');
    expect(state.directory).toBe(place);
    expect(state.note).toContain('counters are withheld');
    expect(warnings).toEqual([state.note]);
    await expect(state.commit([{ key: ['a'], value: 1 }])).rejects.toThrow(StateWriteFailure);
    expect(state.get(['a'])).toBeUndefined();
    await state.close();
    await expect(openState(place, log, { required: true })).rejects.toThrow(StateRequired);
  });

  it('leaves other files of the directory alone, also where the state is damaged', async () => {
    await mkdir(join(directory, 'photos'), { recursive: true });
    await writeFile(join(directory, 'state.db'), 'x'.repeat(10_000));
    await writeFile(join(directory, 'letter.txt'), 'dear');
    const state = await open();
    await state.close();
    expect((await readdir(directory)).sort()).toEqual(['letter.txt', 'lock.db', 'photos', 'state.db', ASIDE]);
  });
});

describe('a state directory that cannot be used yet', () => {
  const key = ['total'];

  async function unavailable() {
    const before = await open();
    await before.commit([{ key, value: 9_809 }]);
    await before.close();
    await rename(directory, join(parent, 'elsewhere'));
    await writeFile(directory, '');
    const clock = new SimulatedClock(NOON);
    return { clock, state: await openState(directory, log, { clock }) };
  }

  it('is tried again until it can be, and then holds what it held', async () => {
    const { clock, state } = await unavailable();
    await clock.advance(60_000);
    expect([state.kind, state.get(key), [...state.keys([])]]).toEqual(['unavailable', undefined, []]);
    expect(warnings).toHaveLength(1);
    await rm(directory);
    await rename(join(parent, 'elsewhere'), directory);
    await eventually('it is open', async () => {
      await clock.advance(10_000);
      return state.kind === 'durable';
    });
    expect([state.note, state.get(key), [...state.keys([])]]).toEqual([undefined, 9_809, [key]]);
    await state.commit([{ key, value: 9_810 }]);
    await state.close();
    expect((await open()).get(key)).toBe(9_810);
  });

  it('is not taken for damaged where the log of its database may only be read', async () => {
    const before = await open();
    await before.commit([{ key, value: 9_809 }]);
    const copied = join(parent, 'copied');
    await cp(directory, copied, { recursive: true, filter: (path) => !path.endsWith('lock.db') });
    await before.close();
    const writeAheadLog = join(copied, 'state.db-wal');
    await chmod(writeAheadLog, 0o400);
    const names = await readdir(copied);
    await asOrdinaryUser(copied, async () => {
      const state = await open(copied);
      expect([state.kind, state.note]).toEqual(['unavailable', expect.stringContaining('readonly')]);
      await state.close();
      expect(await readdir(copied)).toEqual(expect.arrayContaining(names));
      await chmod(writeAheadLog, 0o600);
      const after = await open(copied);
      expect(after.get(key)).toBe(9_809);
      await after.close();
    });
  });

  it('keeps nobody from ending', async () => {
    const { state } = await unavailable();
    await state.close();
  });

  it('is refused, once it can be, where another exporter holds it by then', async () => {
    const { clock, state } = await unavailable();
    await rm(directory);
    await rename(join(parent, 'elsewhere'), directory);
    const other = await open();
    await eventually('it says so', async () => {
      await clock.advance(10_000);
      return state.note?.includes('in use by another edge-exporter');
    });
    expect(state.kind).toBe('unavailable');
    await other.close();
    await state.close();
  });

  it('ends serve with 1 and a sentence where it is required', async () => {
    await writeFile(directory, '');
    expect(await serveEnds('--state.required')).toEqual([
      1,
      `error: the state directory ${directory} cannot be used: it is not a directory\n`,
    ]);
  });
});

describe('a state of another format', () => {
  async function marked(format: number): Promise<void> {
    await (await open()).close();
    const other = new Sqlite(join(directory, 'state.db'));
    other.exec(`PRAGMA user_version = ${format}`);
    other.close();
  }

  it.each([
    [4, 'run the newer version, or choose another --state.dir'],
    [
      0,
      'it dates from before the first release; choose another --state.dir, or remove its files: counters then start from zero',
    ],
  ])('%i is refused with 2 and a sentence, and left as it is', async (format, cure) => {
    await marked(format);
    const before = await readFile(join(directory, 'state.db'));
    await expect(open()).rejects.toThrow(OtherFormat);
    expect(await serveEnds()).toEqual([
      2,
      `error: the state in ${directory} has format ${format}, and this version reads format 3 alone: ${cure}\n`,
    ]);
    expect(await readFile(join(directory, 'state.db'))).toEqual(before);
    expect(warnings).toEqual([]);
  });
});

describe('a damaged state', () => {
  it('gets another name, with one warning', async () => {
    const before = await open();
    await before.commit([{ key: ['total'], value: 1 }]);
    const damaged = Buffer.alloc(10_000, 'x');
    await before.close();
    await writeFile(join(directory, 'state.db'), damaged);
    const state = await open();
    expect([state.kind, state.get(['total'])]).toEqual(['durable', undefined]);
    expect(warnings).toEqual([state.note]);
    expect(state.note).toContain(`it was moved to ${join(directory, ASIDE)}`);
    expect(await readFile(join(directory, ASIDE))).toEqual(damaged);
    await state.close();
  });
});
