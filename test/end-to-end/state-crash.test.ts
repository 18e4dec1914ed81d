import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { compileWriter } from '../exporter/state/compiled-writer.ts';

const KILLS = 25;
const STEP = 0.1;
let writer: Awaited<ReturnType<typeof compileWriter>>;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-crash-'));
  writer = await compileWriter('crash-writer');
});

afterAll(async () => {
  await rm(directory, { recursive: true });
  await writer.remove();
});

interface Life {
  readonly found: { total: number; watermark: number }[] | undefined;
  /** Last number of each committer whose commit resolved. */
  readonly committed: Map<number, number>;
}

async function liveAndDie(whileStarting: boolean): Promise<Life> {
  const child = spawn(process.execPath, [writer.path, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const closed = once(child, 'close');
  if (whileStarting) await delay(Math.random() * 200);
  else {
    const lines = 1 + Math.random() * 150;
    await eventually(`${lines} lines`, () => output.split('\n').length > lines, { every: 1 });
    await delay(Math.random() * 5);
  }
  child.kill('SIGKILL');
  expect(await closed).toEqual([null, 'SIGKILL']);
  // The kill cuts off the text after the last line break.
  const [first, ...lines] = output.split('\n').slice(0, -1);
  const numbers = lines.map((line) => line.split(' ').map(Number));
  const committed = new Map(numbers.map(([committer = -1, number = -1]) => [committer, number]));
  return { found: first === undefined ? undefined : JSON.parse(first), committed };
}

function totalAfter(steps: number): number {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum += STEP;
  return sum;
}

it('every commit that resolved outlives kill -9 at any moment, and totals never part from their watermarks', async () => {
  const promised = new Map<number, number>();
  let checked = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const { found, committed } = await liveAndDie(kill % 5 === 4);
    for (const [committer, { total, watermark }] of found?.entries() ?? []) {
      expect(watermark).toBeGreaterThanOrEqual(promised.get(committer) ?? 0);
      expect(total).toBe(totalAfter(watermark));
      checked++;
    }
    for (const [committer, number] of committed) promised.set(committer, number);
  }
  expect(checked).toBeGreaterThan(KILLS * 4);
  expect(Math.min(...promised.values())).toBeGreaterThan(KILLS);
});
