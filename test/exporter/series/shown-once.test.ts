import { expect, it } from 'vitest';
import { OLDEST_MINUTE } from '../../../src/exporter/settling/completeness.ts';
import { grown, SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const METRIC = 'cdn_requests';

/** Returns the value of a bucket that grows over nine minutes to its final value of 900. */
const valueAt = (ageMinutes: number) => Math.min(900, 100 * Math.max(0, ageMinutes));

function polled() {
  const bed = new SeriesBed(METRIC, NOON, 'auto');
  const job = bed.job('1');
  /** Polls at a minute after noon. Returns the gauges of the poll, if they are new. */
  const poll = (minute: number) => {
    const now = NOON + minute * MINUTE;
    bed.now = now;
    const window = { from: now - 20 * MINUTE, to: now };
    const timestamps = Float64Array.from({ length: 20 }, (_, index) => window.from + index * MINUTE);
    const values = timestamps.map((start) => valueAt((now - start - MINUTE) / MINUTE));
    const series = new Map([['total', { timestamps, values }]]);
    const decoded = { series, width: MINUTE, rejected: new Map(), rows: 20 };
    const exposures = bed.taken(job, { decoded, window, now });
    const shown = exposures.filter(({ part }) => part === 'now' || part === 'moments');
    const samples = shown.flatMap((exposure) => exposure.samples);
    const of = (name: string) => samples.find(({ family }) => family.name === name)?.value;
    const until = of('edge_data_until_timestamp_seconds');
    if (until === undefined) return undefined;
    return { until: (until * 1_000 - NOON) / MINUTE, value: of('edge_requests_per_minute') };
  };
  const learnThatBucketsTakeNineMinutes = () => {
    const shown = Array.from({ length: OLDEST_MINUTE + 1 }, (_, minute) => valueAt(minute) / 9);
    bed.learn((known) => grown(200, shown, known));
  };
  return { poll, learnThatBucketsTakeNineMinutes };
}

it('a bucket is shown once where the publish delay grows: not again and again while it fills up', () => {
  const { poll, learnThatBucketsTakeNineMinutes } = polled();
  expect([0, 1].map(poll)).toEqual([
    { until: -2, value: 200 },
    { until: -1, value: 200 },
  ]);
  learnThatBucketsTakeNineMinutes();
  expect([2, 3, 4, 5, 6, 7, 8].map(poll)).toEqual(Array(7).fill(undefined));
  expect([9, 10].map(poll)).toEqual([
    { until: 0, value: 900 },
    { until: 1, value: 900 },
  ]);
});

it('a bucket that is read again is not shown again', () => {
  const { poll } = polled();
  expect(poll(3)).toEqual({ until: 1, value: 200 });
  expect(poll(3)).toBeUndefined();
});

it('a bucket of ten minutes that the platform gives when it has ended is shown two minutes later', () => {
  const bed = new SeriesBed(METRIC, NOON, 'auto');
  const job = bed.job('1');
  const width = 10 * MINUTE;
  bed.learn((known) => ({ ...known, lags: [{ slot: Math.floor(NOON / width), ms: 0 }] }));
  const shownAt: [minute: number, until: number][] = [];
  for (let minute = 0; minute < 150; minute += 1) {
    const now = NOON + minute * MINUTE;
    bed.now = now;
    const window = { from: Math.floor((now - 60 * MINUTE) / width) * width, to: now };
    // Returns only complete buckets, without the current one.
    const count = Math.floor((now - window.from) / width);
    const timestamps = Float64Array.from({ length: count }, (_, index) => window.from + index * width);
    const series = new Map([['total', { timestamps, values: timestamps.map(() => 100) }]]);
    const decoded = { series, width, rejected: new Map(), rows: count };
    const samples = bed.taken(job, { decoded, window, now }).flatMap((exposure) => exposure.samples);
    const until = samples.find(({ family }) => family.name === 'edge_data_until_timestamp_seconds')?.value;
    if (until !== undefined) shownAt.push([minute, (until * 1_000 - NOON) / MINUTE]);
  }
  const lately = shownAt.filter(([minute]) => minute > 60);
  expect(lately).toHaveLength(9);
  for (const [minute, until] of lately) expect(minute - until).toBe(2);
});
