import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockDirectory, StateInUse, type StateLock } from '../../../src/exporter/state/directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

/** Leaves behind the socket of a process that was killed. */
async function leaveDeadSocket(): Promise<void> {
  await (await lockDirectory(directory)).release();
  const path = join(directory, 'lock', 'dead.socket');
  const code = `require('node:net').createServer().listen(process.argv[1], () => console.log('ready'))`;
  const child = spawn(process.execPath, ['--eval', code, '--', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('the lock of a state directory', () => {
  it('is refused while another holds it, and given again once that is released', async () => {
    const first = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(StateInUse);
    await first.release();
    await (await lockDirectory(directory)).release();
  });

  it('passes over a process that was killed', async () => {
    await leaveDeadSocket();
    expect(await readdir(join(directory, 'lock'))).toEqual(['dead.socket']);
    const lock = await lockDirectory(directory);
    expect(await readdir(join(directory, 'lock'))).not.toContain('dead.socket');
    await lock.release();
    expect(await readdir(join(directory, 'lock'))).toEqual([]);
  });

  it('is held by at most one of many that ask at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const held = asked.flatMap((ask) => (ask.status === 'fulfilled' ? [ask.value] : []));
      expect(held.length).toBeLessThanOrEqual(1);
      await Promise.all(held.map((lock: StateLock) => lock.release()));
    }
  });

  it('works where the path is longer than a socket name can be', async () => {
    vi.stubEnv('TMPDIR', directory);
    const deep = join(directory, 'd'.repeat(120));
    const first = await lockDirectory(deep);
    await expect(lockDirectory(deep)).rejects.toThrow(`${deep} is in use`);
    await first.release();
    await (await lockDirectory(deep)).release();
  });
});
