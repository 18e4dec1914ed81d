import { describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/catalogue/products.ts';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { SeriesSamples } from '../../src/series/samples.ts';
import { SeriesJob } from '../../src/series/series-job.ts';
import { ReadModes, SeriesReader } from '../../src/series/series-reader.ts';
import { Delays } from '../../src/settling/delays.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);

/** The value of a dimension's bucket, by how many minutes after noon it starts and how many ago it closed. */
type Values = (startMinute: number, ageMinutes: number) => number;

/** A job that polls one metric of a configuration, and the samples of the newest bucket that it exposes then. */
function polling(metric: string, dimensions: Readonly<Record<string, Values>>, publishDelay = 2 * MINUTE) {
  const product = PRODUCTS.find(({ slug }) => slug === 'edge_applications');
  if (product === undefined) throw new Error('no such product');
  const target = { account: 'a', product, by: 'configuration', id: '1', name: 'shop' } as const;
  let now = NOON;
  const platformClock = new PlatformClock(() => now);
  const delays = new Delays(publishDelay, 10 * MINUTE);
  const wants = () => true;
  const job = new SeriesJob({
    target,
    metric,
    schedule: '* * * * *',
    weight: 1,
    reader: new SeriesReader({ target, metric, wants, modes: new ReadModes(), platformClock }),
    samples: new SeriesSamples(target, metric, {}),
    delays,
    stored: () => undefined,
    isPushed: () => false,
    platformClock,
  });
  let exposed = new Map<string, number>();
  const poll = (minute: number, values: Readonly<Record<string, Values>> = dimensions) => {
    now = NOON + minute * MINUTE;
    const window = { from: now - 20 * MINUTE, to: now };
    const timestamps = Float64Array.from({ length: 20 }, (_, index) => window.from + index * MINUTE);
    const series = new Map(
      Object.entries(values).map(([name, valueAt]) => {
        const row = timestamps.map((start) =>
          valueAt((start - NOON) / MINUTE, (now - start - MINUTE) / MINUTE),
        );
        return [name, { timestamps, values: row }];
      }),
    );
    const decoded = { series, width: MINUTE, rejected: new Map(), rows: 20 * series.size };
    const exposures = job.conclude({ decoded, window, now }).adopt(true);
    const early = exposures.find(({ part }) => part === 'early');
    if (early !== undefined) {
      exposed = new Map(
        early.samples.map(({ family, labels, value }) => [
          [family.name, labels['class']].filter((part) => part !== undefined).join(' '),
          family.name.endsWith('_seconds') ? (value * 1_000 - NOON) / MINUTE : value,
        ]),
      );
    }
    return exposed;
  };
  return { poll, delays };
}

/** Of every bucket a tenth is there when it closes, and another tenth comes in each minute. */
const filling =
  (final: number): Values =>
  (_, age) =>
    Math.round(final * Math.min(1, (age + 1) / 10));

const AT_LEAST = 'edge_waf_threats_at_least_per_minute';
const EXPECTED = 'edge_waf_threats_expected_per_minute';

describe('the newest bucket', () => {
  it('is a lower bound once enough buckets were only seen to grow, and an estimate once it is known how they do', () => {
    const { poll, delays } = polling('waf', { threats: filling(1_000), blocked: filling(500) });
    expect(poll(0).size).toBe(0);
    delays.directions.observe(1_000, 0, NOON);
    expect(Object.fromEntries(poll(1))).toEqual({
      edge_waf_threats_at_least_per_minute: 100,
      edge_waf_blocked_at_least_per_minute: 50,
      edge_seen_until_timestamp_seconds: 1,
    });
    for (let minute = 2; minute < 100; minute += 1) poll(minute);
    expect([...poll(100)].filter(([name]) => name === AT_LEAST || name === EXPECTED)).toEqual([
      [AT_LEAST, 100],
    ]);
    const sudden = polling('waf', { threats: (_, age) => (age < 2 ? 400 : 1_000) });
    sudden.delays.directions.observe(1_000, 0, NOON);
    for (let minute = 0; minute < 100; minute += 1) sudden.poll(minute);
    expect(sudden.poll(100).get(EXPECTED)).toBe(1_000);
  });

  it('is the newest with any data: what the platform has not aggregated yet is no zero', () => {
    const { poll, delays } = polling(
      'waf',
      { threats: (_, age) => (age < 3 ? 0 : 70 * (age - 2)) },
      6 * MINUTE,
    );
    delays.directions.observe(1_000, 0, NOON);
    const exposed = poll(30);
    expect(exposed.get(AT_LEAST)).toBe(70);
    expect(exposed.get('edge_seen_until_timestamp_seconds')).toBe(27);
  });

  it('is the one that the gauges show where there is no traffic: an attack that is over is not shown on', () => {
    const { poll, delays } = polling('waf', { threats: (start) => (start < 10 ? 300 : 0) });
    delays.directions.observe(1_000, 0, NOON);
    expect(poll(10).get(AT_LEAST)).toBe(300);
    expect(poll(13).get(AT_LEAST)).toBe(0);
  });

  it('sums the responses of a class over their codes', () => {
    const { poll, delays } = polling('status_code', {
      500: () => 7,
      503: () => 5,
      '5xx': () => 1,
      200: () => 90,
    });
    delays.directions.observe(1_000, 0, NOON);
    const bounds = [...poll(1)].filter(([name]) => name.includes('at_least'));
    expect(bounds).toEqual([
      ['edge_responses_at_least_per_minute 2xx', 90],
      ['edge_responses_at_least_per_minute 5xx', 13],
    ]);
  });

  it('is shown no more as soon as the platform lowers buckets', () => {
    const grown: Readonly<Record<string, Values>> = { threats: filling(1_000) };
    const { poll, delays } = polling('waf', grown);
    delays.directions.observe(1_500, 0, NOON);
    expect(poll(1).get(AT_LEAST)).toBe(100);
    expect(poll(2).get(AT_LEAST)).toBe(100);
    expect(poll(3, { threats: () => 90 }).size).toBe(0);
  });

  it('does not go back in time where an answer lacks it', () => {
    const { poll, delays } = polling('waf', { threats: filling(1_000) });
    delays.directions.observe(1_000, 0, NOON);
    poll(5);
    const lacking = poll(6, { threats: (start, age) => (start >= 4 ? 0 : filling(1_000)(start, age)) });
    expect(lacking.get('edge_seen_until_timestamp_seconds')).toBe(5);
  });

  it('says nothing of metrics that wake nobody', () => {
    const { poll, delays } = polling('data_transferred_total', { total: filling(1_000) });
    delays.directions.observe(1_000, 0, NOON);
    expect(poll(1).size).toBe(0);
  });
});
