import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { compileWriter } from '../exporter/state/compiled-writer.ts';
import {
  canInject,
  DISK_FAILURES,
  type DiskFailure,
  mountSmallDisk,
} from '../exporter/state/disk-failures.ts';

/**
 * Number of trials. Run more with `DISK_FAILURES=200 npx vitest run
 * test/end-to-end/state-disk-failures.test.ts`.
 */
const TRIALS = Number(process.env['DISK_FAILURES'] ?? 14);
let directory: string;
let writer: Awaited<ReturnType<typeof compileWriter>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-disk-'));
  mountSmallDisk(directory);
  writer = await compileWriter('disk-writer');
});

afterAll(async () => {
  spawnSync('umount', ['--lazy', directory]);
  await rm(directory, { recursive: true });
  await writer.remove();
});

interface Found {
  readonly total: number;
  readonly watermark: number;
}

function startWriting() {
  const child = spawn(process.execPath, [writer.path, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const closed = once(child, 'close');
  // The text after the last line break is incomplete.
  const lines = () => output.split('\n').slice(0, -1);
  onTestFinished(() => void child.kill('SIGKILL'));
  const until = async (what: string, isSo: () => boolean, longest = 600_000) => {
    const ends = Date.now() + longest;
    while (!isSo()) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended before ${what}`);
      if (Date.now() > ends) throw new Error(`not in time: ${what}`);
      await delay(5);
    }
  };
  return {
    pid: child.pid ?? 0,
    lines,
    until,
    async found(): Promise<Found[]> {
      await until('it found its state', () => lines().length > 0);
      return JSON.parse(lines()[0] ?? '[]');
    },
    refusals: () => lines().filter((line) => line.startsWith('refused')),
    committed: () =>
      new Map(
        lines()
          .slice(1)
          .filter((line) => !line.startsWith('refused'))
          .map((line) => line.split(' ').map(Number))
          .map(([committer = -1, number = -1]) => [committer, number] as const),
      ),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      expect(await closed).toEqual([null, 'SIGKILL']);
    },
  };
}

async function liveThrough(failure: DiskFailure, promised: Map<number, number>): Promise<void> {
  const writing = startWriting();
  for (const [committer, { total, watermark }] of (await writing.found()).entries()) {
    expect(watermark).toBeGreaterThanOrEqual(promised.get(committer) ?? 0);
    expect(total).toBe(watermark * 3);
  }
  await writing.until('it commits', () => writing.committed().size === 4);
  await delay(Math.random() * 100);
  const { mend } = await failure.strike(writing.pid, directory);
  // One of three writers is killed while its disk fails.
  const killedAtOnce = Math.random() < 1 / 3;
  // A full disk refuses no write as long as the write-ahead log has space to start over.
  await writing
    .until('commits are refused', () => writing.refusals().length > 0, failure.canBeBorne ? 500 : undefined)
    .catch((error: unknown) => {
      if (!failure.canBeBorne) throw error;
    });
  for (const refusal of writing.refusals()) expect(refusal).toMatch(failure.reason);
  await delay(Math.random() * 50);
  if (killedAtOnce) await writing.kill();
  await mend().catch((error: unknown) => {
    if (!killedAtOnce) throw error;
  });
  if (!killedAtOnce) {
    const mended = writing.lines().length;
    await writing.until('it commits again', () => {
      const since = writing.lines().slice(mended);
      return new Set(since.filter((line) => !line.startsWith('refused')).map((line) => line[0])).size === 4;
    });
    await writing.kill();
  }
  for (const [committer, number] of writing.committed()) promised.set(committer, number);
}

it(`${TRIALS} times its disk fails and comes back: commits wait and go on, nothing is damaged, nothing is lost`, async () => {
  const possible = DISK_FAILURES.filter((failure) => failure.isPossible(directory));
  expect(possible.length).toBeGreaterThan(0);
  const promised = new Map<number, number>();
  for (let trial = 0; trial < TRIALS; trial++) {
    const failure = possible[trial % possible.length];
    if (failure === undefined) continue;
    await liveThrough(failure, promised).catch((error: Error) => {
      throw new Error(`trial ${trial}, ${failure.name}: ${error.message}`);
    });
  }
  const last = startWriting();
  expect(await last.found()).toHaveLength(4);
  await last.kill();
});

function startUnreadable(when: string) {
  const files = ['state.db', 'state.db-wal'].flatMap((name) => ['-P', join(directory, name)]);
  const reads = ['-e', `inject=read,pread64:error=EIO:when=${when}`];
  const program = [process.execPath, writer.path, directory];
  const found = spawnSync('strace', ['-f', '-o', '/dev/null', ...files, ...reads, ...program], {
    encoding: 'utf8',
    timeout: 5_000,
    killSignal: 'SIGKILL',
  });
  return found.stderr;
}

it.runIf(canInject)(
  'a disk that cannot be read at the start is waited for: what it holds is not taken for damaged',
  async () => {
    const before = startWriting();
    await before.until('it commits', () => before.committed().size === 4);
    await before.kill();
    expect(startUnreadable('1+')).toMatch(/cannot be used: .*(EIO|disk I\/O error)/);
    const after = startWriting();
    for (const [committer, { watermark }] of (await after.found()).entries())
      expect(watermark).toBeGreaterThanOrEqual(before.committed().get(committer) ?? 0);
    await after.kill();
  },
);
