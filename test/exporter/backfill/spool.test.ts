import { appendFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Spool, type SpoolRecord } from '../../../src/exporter/backfill/work-folder.ts';

const WINDOWS = 10;
const whole = ({ times }: SpoolRecord) => times.length === 2;

function record(window: number, times = [0, 60_000]): SpoolRecord {
  const values = times.map((time) => time + window);
  return {
    window,
    width: 60_000,
    times: times.map((time) => time + window * 120_000),
    series: { total: values },
  };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'spool-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

it('gives back what it was given, in the order of the windows, also to a later start', async () => {
  const path = await folder();
  const spool = await Spool.open(path, 3, whole);
  for (const window of [2, 0, 1]) expect(await spool.append(record(window), WINDOWS)).toBe(1);
  for (const one of [spool, await Spool.open(path, 3, whole)]) {
    expect(await one.records()).toEqual([record(0), record(1), record(2)]);
    expect([one.has(1), one.has(3), one.done(WINDOWS)]).toEqual([true, false, 3]);
    expect([...one.dimensions]).toEqual(['total']);
  }
});

it('wherever the end of the file was cut off, only windows that were cut are lost, and it goes on behind the rest', async () => {
  const path = await folder();
  const file = join(path, '00000.jsonl');
  const spool = await Spool.open(path, 0, whole);
  await spool.append(record(0), WINDOWS);
  const begun = (await readFile(file)).length;
  const line = `${JSON.stringify(record(1))}\n`;
  for (let written = 0; written < line.length; written += 1) {
    await truncate(file, begun);
    await appendFile(file, line.slice(0, written));
    const again = await Spool.open(path, 0, whole);
    expect([again.has(0), again.has(1)]).toEqual([true, false]);
    await again.append(record(2), WINDOWS);
    expect(await (await Spool.open(path, 0, whole)).records()).toEqual([record(0), record(2)]);
  }
});

it('knows what the platform does not have, and how many windows lack buckets', async () => {
  const path = await folder();
  const spool = await Spool.open(path, 0, whole);
  await spool.append(record(0), WINDOWS);
  await spool.append(record(1, [0]), WINDOWS);
  expect([spool.lacking, spool.vanished]).toEqual([1, false]);
  expect(await spool.append({ vanished: true }, WINDOWS)).toBe(WINDOWS - 2);
  const again = await Spool.open(path, 0, whole);
  expect([again.lacking, again.vanished, again.done(WINDOWS)]).toEqual([1, true, WINDOWS]);
  expect(await again.records()).toHaveLength(2);
});

it('writes lines one after another, however many are given at once', async () => {
  const path = await folder();
  const spool = await Spool.open(path, 0, whole);
  await Promise.all(Array.from({ length: WINDOWS }, (_, window) => spool.append(record(window), WINDOWS)));
  expect(await (await Spool.open(path, 0, whole)).records()).toHaveLength(WINDOWS);
});
