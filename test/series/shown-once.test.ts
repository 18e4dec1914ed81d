import { expect, it } from 'vitest';
import { PRODUCTS } from '../../src/catalogue/products.ts';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { SeriesSamples } from '../../src/series/samples.ts';
import { SeriesJob } from '../../src/series/series-job.ts';
import { ReadModes, SeriesReader } from '../../src/series/series-reader.ts';
import { OLDEST_MINUTE } from '../../src/settling/completeness.ts';
import { Delays } from '../../src/settling/delays.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);
const METRIC = 'cdn_requests';

/** Buckets fill up over nine minutes; all of them come to 900. */
const valueAt = (ageMinutes: number) => Math.min(900, 100 * Math.max(0, ageMinutes));

function polled() {
  const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
  if (product === undefined) throw new Error('no such product');
  const target = { account: 'a', product, by: 'configuration', id: '1', name: 'shop' } as const;
  let now = NOON;
  const platformClock = new PlatformClock(() => now);
  const delays = new Delays('auto', 10 * MINUTE);
  const wants = () => true;
  const job = new SeriesJob({
    target,
    metric: METRIC,
    schedule: '* * * * *',
    weight: 1,
    reader: new SeriesReader({ target, metric: METRIC, wants, modes: new ReadModes(), platformClock }),
    samples: new SeriesSamples(target, METRIC, {}),
    delays,
    stored: () => undefined,
    isPushed: () => false,
    platformClock,
  });
  /** Polls at a minute after noon; returns what the gauges show from then on, where it is anything new. */
  const poll = (minute: number) => {
    now = NOON + minute * MINUTE;
    const window = { from: now - 20 * MINUTE, to: now };
    const timestamps = Float64Array.from({ length: 20 }, (_, index) => window.from + index * MINUTE);
    const values = timestamps.map((start) => valueAt((now - start - MINUTE) / MINUTE));
    const series = new Map([['total', { timestamps, values }]]);
    const decoded = { series, width: MINUTE, rejected: new Map(), rows: 20 };
    const exposures = job.conclude({ decoded, window, now }).adopt(true);
    const shown = exposures.filter(({ part }) => part === 'now' || part === 'moments');
    const samples = shown.flatMap((exposure) => exposure.samples);
    const of = (name: string) => samples.find(({ family }) => family.name === name)?.value;
    const until = of('edge_data_until_timestamp_seconds');
    if (until === undefined) return undefined;
    return { until: (until * 1_000 - NOON) / MINUTE, value: of('edge_requests_per_minute') };
  };
  const learnThatBucketsTakeNineMinutes = () => {
    const shown = new Float64Array(OLDEST_MINUTE + 1).map((_, minute) => valueAt(minute));
    for (let count = 0; count < 200; count += 1) delays.completeness.learn({ shown, final: 900 });
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
