import { describe, expect, it } from 'vitest';
import { type HistoryWindow, windowsOf } from '../../../src/exporter/backfill/history-plan.ts';
import { type ReadSeries, readWindow } from '../../../src/exporter/backfill/read-window.ts';
import { decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { type FailureOutcome, PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const HOUR = 60 * MINUTE_MS;
const FROM = 490_000 * HOUR;
const FULL = { from: FROM, to: FROM + HOUR };

type Rows = readonly (readonly [minute: number, value: unknown])[];

type Given = Readonly<Record<string, Rows>> | FailureOutcome;

function rows(from: number, to: number, step = 1): Rows {
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
    const minute = from + index * step;
    return [minute, 1_000 + minute] as const;
  });
}

async function read(answers: readonly Given[], { range = FULL, latest = FROM + 3 * HOUR } = {}) {
  const [window] = windowsOf({ range, latest }) as [HistoryWindow];
  const clock = new SimulatedClock();
  const pauses: number[] = [];
  let asked = 0;
  const answer: ReadSeries = async (_, ask) => {
    const given = answers[Math.min(asked, answers.length - 1)] ?? {};
    asked += 1;
    if (typeof given === 'string') throw new PlatformFailure(given, 'as told');
    const body = Object.fromEntries(
      Object.entries(given).map(([name, all]) => [
        name,
        all.map(([minute, value]) => [FROM + minute * MINUTE_MS, value]),
      ]),
    );
    const now = FROM + 10 * HOUR;
    const decoded = decodeSeries(body, { metric: 'waf', id: '7' }, now);
    return new Map([[0, { decoded, window: ask, now }]]);
  };
  const ended = readWindow(window, [0], {
    read: answer,
    clock,
    signal: new AbortController().signal,
    onRetry: (_, pause) => pauses.push(pause),
  }).then(
    (reads) => {
      const found = reads.get(0);
      if (found === undefined) return 'vanished';
      const minutes = [...found.dimensions].map(([name, { width, buckets }]) => [
        name,
        buckets.map(([start, wide, value]) => {
          expect(value).toBe(1_000 + (start - FROM) / MINUTE_MS);
          return wide === width ? (start - FROM) / MINUTE_MS : `${(start - FROM) / MINUTE_MS} or longer`;
        }),
      ]);
      return { whole: found.isWhole, ...Object.fromEntries(minutes) };
    },
    (error: Error) => (error instanceof PlatformFailure ? error.outcome : error),
  );
  await clock.advance(60 * MINUTE_MS);
  return { ended: await ended, asked, pauses };
}

const minutes = (from: number, to: number) => rows(from, to).map(([minute]) => minute);
const whole = { whole: true, total: minutes(0, 60) };

describe('a window', () => {
  it.each<[string, Given[], unknown, number]>([
    ['is read once when it is whole', [{ total: rows(0, 60) }], whole, 1],
    ['holds the buckets that start in it, and no others', [{ total: rows(-3, 70) }], whole, 1],
    ['is read again for what is missing', [{ total: rows(0, 40) }, { total: rows(0, 60) }], whole, 2],
    ['is put together from what answers bring', [{ total: rows(0, 40) }, { total: rows(30, 60) }], whole, 2],
    [
      'is read again when rows had to be dropped, even if none seems to be missing',
      [{ total: [...rows(0, 60), [61, 'x']] }, { total: rows(0, 60) }],
      whole,
      2,
    ],
    [
      'lacks what three further answers lack; the bucket before may be a longer one, and is only counted',
      [{ total: [...rows(0, 20), ...rows(30, 60)] }],
      { whole: false, total: [...minutes(0, 19), '19 or longer', ...minutes(30, 60)] },
      4,
    ],
    ['lacks everything when four answers are empty', [{}], { whole: false }, 4],
    [
      'lacks what one dimension lacks',
      [{ total: rows(0, 60), threats: rows(0, 50) }],
      { whole: false, total: minutes(0, 60), threats: [...minutes(0, 49), '49 or longer'] },
      4,
    ],
    [
      'never takes every second row for a wider bucket',
      [{ total: rows(0, 60, 2) }],
      { whole: false, total: rows(0, 60, 2).map(([minute]) => `${minute} or longer`) },
      4,
    ],
  ])('%s', async (_, answers, ended, asked) => {
    expect(await read(answers)).toEqual({ ended, asked, pauses: [] });
  });

  it('within an hour is whole by the row behind it, which it leaves out', async () => {
    const range = { from: FROM + 3 * MINUTE_MS, to: FROM + 42 * MINUTE_MS };
    const { ended, asked } = await read([{ total: rows(0, 60) }], { range });
    expect({ ended, asked }).toEqual({ ended: { whole: true, total: minutes(3, 42) }, asked: 1 });
  });
});

it.each([
  ['is read once when it is whole', 60, [undefined]],
  [
    'is asked again for the values of the first answer, and counts each of them once',
    59,
    [undefined, ['BR', 'other']],
  ],
])('of a metric by values %s', async (_, first, questions) => {
  const [window] = windowsOf({ range: FULL, latest: FULL.to }) as [HistoryWindow];
  const clock = new SimulatedClock();
  const asked: unknown[] = [];
  const read: ReadSeries = async ([{ names } = { names: [] }], ask) => {
    asked.push(names);
    const timestamps = Float64Array.from(
      { length: first - 1 + asked.length },
      (_, index) => FROM + index * MINUTE_MS,
    );
    const points = { timestamps, values: timestamps.map(() => 1) };
    const series = new Map(['BR', 'other'].map((value) => [value, points]));
    const decoded = { series, rejected: new Map(), rows: timestamps.length, insteadOf: names ?? [] };
    return new Map([[0, { decoded, window: ask, now: FULL.to }]]);
  };
  const options = { read, clock, signal: new AbortController().signal, onRetry: () => undefined };
  const found = (await readWindow(window, [0], options)).get(0);
  expect(asked).toEqual(questions);
  expect(found?.isWhole).toBe(true);
  expect([...(found?.dimensions ?? [])].map(([name, { buckets }]) => [name, buckets.length])).toEqual([
    ['BR', 60],
    ['other', 60],
  ]);
});

it('tries again after failures, with ever longer pauses up to a minute', async () => {
  const failures = new Array<Given>(8).fill('server_error');
  const { ended, pauses } = await read([...failures, { total: rows(0, 60) }]);
  expect(ended).toEqual(whole);
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
  const answers: Given[] = ['not_found', 'not_found', 'timeout', 'not_found', 'not_found'];
  expect(await read([...answers, { total: rows(0, 60) }])).toMatchObject({ ended: whole });
});
