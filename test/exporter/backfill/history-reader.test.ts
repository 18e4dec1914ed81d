import { expect, it } from 'vitest';
import { type HistoryReaderOptions, readWindow } from '../../../src/exporter/backfill/collect.ts';
import { type HistoryWindow, windowsOf } from '../../../src/exporter/backfill/history-plan.ts';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';
import type { Rejections } from '../../../src/exporter/decode/points.ts';
import { type FailureOutcome, PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 60 * MINUTE_MS;
const FROM = 490_000 * HOUR;
const [WINDOW] = windowsOf({ from: FROM, to: FROM + HOUR }) as [HistoryWindow];

/** What the platform answers, one after another: so many buckets, rows dropped, or a failure. */
type Given = number | { readonly buckets: number; readonly dropped: number } | FailureOutcome;

async function read(answers: readonly Given[], minutes = 60) {
  const clock = new SimulatedClock();
  const pauses: number[] = [];
  let asked = 0;
  const options: HistoryReaderOptions = {
    read: () => Promise.reject(new Error('not asked here')),
    reader: {
      async read(_, window) {
        const given = answers[Math.min(asked, answers.length - 1)] ?? 60;
        asked += 1;
        if (typeof given === 'string') throw new PlatformFailure(given, 'as told');
        const { buckets, dropped } = typeof given === 'number' ? { buckets: given, dropped: 0 } : given;
        const timestamps = Float64Array.from({ length: buckets }, (_, index) => FROM + index * MINUTE_MS);
        const series = new Map([['total', { timestamps, values: timestamps }]]);
        const rejected: Rejections = new Map(dropped > 0 ? [['bad_value', dropped]] : []);
        return { decoded: { series, width: MINUTE_MS, rejected, rows: buckets }, window: window(0), now: 0 };
      },
    },
    end: WINDOW.to,
    clock,
    signal: new AbortController().signal,
    onRetry: (_, pause) => pauses.push(pause),
  };
  const ended = readWindow(WINDOW, options).then(
    (line) => ('vanished' in line ? 'vanished' : line.times.length),
    (error: Error) => (error instanceof PlatformFailure ? error.outcome : error),
  );
  await clock.advance(minutes * MINUTE_MS);
  return { ended: await ended, asked, pauses };
}

it('reads a whole window once', async () => {
  expect(await read([60])).toEqual({ ended: 60, asked: 1, pauses: [] });
});

it('asks again for what is missing, and believes it only when an answer brings nothing new', async () => {
  expect(await read([40, 60])).toMatchObject({ ended: 60, asked: 2 });
  expect(await read([40, 40])).toMatchObject({ ended: 40, asked: 2 });
  expect(await read([0, 40, 40])).toMatchObject({ ended: 40, asked: 3 });
  expect(await read([2, 3, 4, 5, 6, 7, 8])).toMatchObject({ ended: 6, asked: 5 });
});

it('asks again when rows had to be dropped, even if none seems to be missing', async () => {
  expect(await read([{ buckets: 60, dropped: 3 }, 60])).toMatchObject({ ended: 60, asked: 2 });
});

it('tries again after failures, with ever longer pauses up to a minute', async () => {
  const failures = new Array<Given>(8).fill('server_error');
  const { ended, pauses } = await read([...failures, 60]);
  expect(ended).toBe(60);
  expect(pauses.map((pause) => pause / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

it.each(['server_error', 'timeout', 'network', 'undecodable', 'rate_limited'] as const)(
  'gives up after a quarter of an hour of %s',
  async (outcome) => {
    const { ended, pauses } = await read([outcome]);
    expect(ended).toBe(outcome);
    const waited = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(waited).toBeGreaterThanOrEqual(15 * MINUTE_MS);
    expect(waited).toBeLessThan(17 * MINUTE_MS);
  },
);

it.each(['unauthorized', 'forbidden', 'not_acceptable'] as const)(
  'gives up at once when %s',
  async (outcome) => {
    expect(await read([outcome])).toMatchObject({ ended: outcome, asked: 1 });
  },
);

it('takes a metric for gone that is not found three times in a row, but not for less', async () => {
  expect(await read(['not_found'])).toMatchObject({ ended: 'vanished', asked: 3 });
  expect(await read(['not_found', 'not_found', 'timeout', 'not_found', 'not_found', 60])).toMatchObject({
    ended: 60,
  });
});

it('puts together what answers bring that lose every second row, instead of taking it for wider buckets', async () => {
  const clock = new SimulatedClock();
  let asked = 0;
  const line = await readWindow(WINDOW, {
    read: () => Promise.reject(new Error('not asked here')),
    reader: {
      async read(_, windowAt) {
        asked += 1;
        const window = windowAt(0);
        const rows: [number, number][] = [];
        for (let time = window.from; time < window.to; time += 2 * MINUTE_MS) rows.push([time, 7]);
        const decoded = decodeSeries({ total: rows }, { metric: 'requests', id: '7' }, FROM + 2 * HOUR);
        return { decoded, window, now: 0 };
      },
    },
    end: WINDOW.to + HOUR,
    clock,
    signal: new AbortController().signal,
    onRetry: () => undefined,
  });
  if ('vanished' in line) throw new Error('nothing was read');
  expect({ width: line.width, buckets: line.times.length, asked }).toEqual({
    width: MINUTE_MS,
    buckets: 60,
    asked: 2,
  });
});
