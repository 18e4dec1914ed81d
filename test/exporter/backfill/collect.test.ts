import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../../src/exporter/backfill/collect.ts';
import { type PlannedSeries, windowsOf } from '../../../src/exporter/backfill/history-plan.ts';
import { Spool } from '../../../src/exporter/backfill/spool.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 3_600_000;
const PLANNED = { metric: 'no_such_metric' } as PlannedSeries;

it('tells once of a metric that the platform does not have, though several windows are under way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'collect-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clock = new SimulatedClock();
  const windows = windowsOf({ from: 0, to: 6 * HOUR });
  const [told, advanced]: [PlannedSeries[], number[]] = [[], []];
  const collected = collect({
    account: { concurrency: 3 },
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
    observer: {
      advanced: (some) => advanced.push(some),
      retried: () => undefined,
      vanished: (planned) => told.push(planned),
    },
  });
  await clock.advance(60_000);
  await collected;
  expect(told).toEqual([PLANNED]);
  expect(advanced.reduce((sum, some) => sum + some)).toBe(windows.length);
});
