import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCK_FILE, StateInUse } from '../../../src/exporter/state/directory.ts';
import { LockedDirectory } from '../../../src/exporter/state/sqlite.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const HOLD = `const lock = new (require('libsql'))(process.argv[1]); lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); console.log('held')`;

function argumentsOf(code: string): string[] {
  return ['--eval', code, '--', join(directory, LOCK_FILE)];
}

async function otherHolder() {
  const child = spawn(process.execPath, argumentsOf(`${HOLD}; setInterval(() => undefined, 1000)`), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a state directory', () => {
  it('is refused while another holds it, and given again once that is released', async () => {
    const first = await LockedDirectory.lock(directory);
    await expect(LockedDirectory.lock(directory)).rejects.toThrow(StateInUse);
    // The lock belongs to the process. A second request of the same process does not release it, so other
    // processes are still refused.
    expect(spawnSync(process.execPath, argumentsOf(HOLD)).stderr.toString()).toMatch('SQLITE_BUSY');
    await first.release();
    await (await LockedDirectory.lock(directory)).release();
  });

  it.skipIf(process.getuid?.() !== 0)('is not given where its file may only be read', async () => {
    await chmod(directory, 0o755);
    await writeFile(join(directory, LOCK_FILE), '', { mode: 0o444 });
    process.seteuid?.('nobody');
    try {
      await expect(LockedDirectory.lock(directory)).rejects.toThrow('EPERM');
    } finally {
      process.seteuid?.(0);
    }
  });

  it('is named where its file is damaged: what is in the directory is not', async () => {
    await writeFile(join(directory, LOCK_FILE), 'x'.repeat(8_192));
    await expect(LockedDirectory.lock(directory)).rejects.toThrow(
      `the lock ${join(directory, LOCK_FILE)} cannot be taken: file is not a database`,
    );
  });

  it('says so where the thread that held it has ended, and leaves nobody waiting', async () => {
    const lock = await LockedDirectory.lock(directory);
    await lock.release();
    await expect(lock.release()).rejects.toThrow('its thread has ended');
    await (await LockedDirectory.lock(directory)).release();
  });

  it('is held by a process for as long as that lives', async () => {
    const other = await otherHolder();
    await expect(LockedDirectory.lock(directory)).rejects.toThrow(StateInUse);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await (await LockedDirectory.lock(directory)).release();
  });

  it('is held by at most one of many that ask at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const asked = await Promise.allSettled(
        Array.from({ length: 8 }, () => LockedDirectory.lock(directory)),
      );
      const held = asked.flatMap((ask) => (ask.status === 'fulfilled' ? [ask.value] : []));
      expect(held.length).toBeLessThanOrEqual(1);
      await Promise.all(held.map((lock) => lock.release()));
    }
  });
});
