import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/exporter/clock.ts';
import { openState } from '../../src/exporter/state/open-state.ts';
import { StateWriteFailure } from '../../src/exporter/state/state.ts';
import { eventually } from '../eventually.ts';
import { SimulatedClock } from '../simulated-clock.ts';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const ASIDE = 'state.db.set-aside-2026-01-02T12-00-00.000Z';
let parent: string;
let directory: string;
let warnings: string[];
const log = { info() {}, warn: (message: string) => void warnings.push(message) };
const open = () =>
  openState(directory, log, { clock: { now: () => NOON, wall: () => NOON, sleep: systemClock.sleep } });

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'state-file-system-'));
  directory = join(parent, 'state');
  warnings = [];
});

afterEach(() => rm(parent, { recursive: true }));

const mount = (...args: string[]) => spawnSync('mount', [...args, 'tmpfs', directory]).status === 0;
const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;

describe.skipIf(!canMount)('a state directory that is a file system of its own', () => {
  beforeEach(() => mkdir(directory));

  afterEach(() => {
    spawnSync('umount', [directory]);
  });

  it('has a damaged state set aside within it', async () => {
    expect(mount('-t', 'tmpfs', '-o', 'size=1m')).toBe(true);
    const damaged = 'damaged'.repeat(1_000);
    await writeFile(join(directory, 'state.db'), damaged);
    const state = await open();
    expect(state.kind).toBe('durable');
    expect(await readFile(join(directory, ASIDE), 'utf8')).toBe(damaged);
    expect(await readdir(parent)).toEqual(['state']);
    await state.close();
    warnings = [];
    await (await open()).close();
    expect(warnings).toEqual([]);
  });

  it('is waited for while it is read-only', async () => {
    expect(mount('-t', 'tmpfs', '-o', 'ro')).toBe(true);
    const state = await open();
    expect(state.kind).toBe('unavailable');
    expect(warnings[0]).toContain('EROFS');
    await state.close();
  });

  it('is waited for while it is full, and then begun', async () => {
    expect(mount('-t', 'tmpfs', '-o', 'size=64k')).toBe(true);
    await writeFile(join(directory, '.ballast'), Buffer.alloc(64 * 1024));
    const clock = new SimulatedClock(NOON);
    const state = await openState(directory, log, { clock });
    expect(state.kind).toBe('unavailable');
    await rm(join(directory, '.ballast'));
    await eventually('it is open', async () => {
      await clock.advance(10_000);
      return state.kind === 'durable';
    });
    await state.close();
  });

  it('refuses commits while its disk is full, keeps what it has, and takes commits again when there is room', async () => {
    expect(mount('-t', 'tmpfs', '-o', 'size=1m')).toBe(true);
    const state = await open();
    const write = (n: number) => state.commit([{ key: [`${n}`], value: 'x'.repeat(20_000) }]);
    let held = 0;
    const fill = async () => {
      for (; held < 100; held++) await write(held);
    };
    await expect(fill()).rejects.toThrow(StateWriteFailure);
    expect(held).toBeGreaterThan(2);
    await expect(write(held)).rejects.toThrow('full');
    expect([...state.keys([])]).toHaveLength(held);
    spawnSync('mount', ['-o', 'remount,size=4m', directory]);
    await fill();
    await state.close();
    const again = await open();
    expect([...again.keys([])]).toHaveLength(100);
    expect(again.note).toBeUndefined();
    await again.close();
  });
});
