import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../../src/exporter/backfill/collect.ts';
import { type PlannedSeries, windowsOf } from '../../../src/exporter/backfill/history-plan.ts';
import { BackfillProgress } from '../../../src/exporter/backfill/progress.ts';
import { Spool } from '../../../src/exporter/backfill/work-folder.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 3_600_000;
const PLANNED = { metric: 'no_such_metric' } as PlannedSeries;

it('tells once of a metric that the platform does not have, though several windows are under way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'collect-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clock = new SimulatedClock();
  const windows = windowsOf({ from: 0, to: 6 * HOUR });
  const told: string[] = [];
  const warn = (_: object, message: string) => void told.push(message);
  const progress = new BackfillProgress(clock, { info: () => undefined, warn });
  const collected = collect({
    concurrency: 3,
    series: [
      {
        planned: PLANNED,
        spool: await Spool.open(folder, 0, () => true),
        source: {
          read: () => Promise.reject(new Error('not asked here')),
          reader: { read: () => Promise.reject(new PlatformFailure('not_found', 'as told')) },
        },
      },
    ],
    windows,
    end: 6 * HOUR,
    clock,
    signal: new AbortController().signal,
    progress,
  });
  await clock.advance(60_000);
  await collected;
  const gone = told.filter((message) => message !== 'reading a window failed');
  expect(gone).toEqual(['the platform does not have this metric']);
  expect(progress.facts.windows).toBe(windows.length);
});
