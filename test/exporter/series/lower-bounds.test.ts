import { describe, expect, it } from 'vitest';
import { restated, SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 0, 5, 12);

type Values = (startMinute: number, ageMinutes: number) => number;

function polling(metric: string, dimensions: Readonly<Record<string, Values>>, publishDelay = 2 * MINUTE) {
  const bed = new SeriesBed(metric, NOON, publishDelay);
  const job = bed.job('1');
  let exposed = new Map<string, number>();
  const poll = (minute: number, values: Readonly<Record<string, Values>> = dimensions) => {
    const now = NOON + minute * MINUTE;
    bed.now = now;
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
    const exposures = bed.taken(job, { decoded, window, now });
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
  const learnRestatements = (up: number) => bed.learn((known) => restated(known, { up, down: 0, now: NOON }));
  return { poll, learnRestatements };
}

const filling =
  (final: number): Values =>
  (_, age) =>
    Math.round(final * Math.min(1, (age + 1) / 10));

const AT_LEAST = 'edge_waf_threats_at_least_per_minute';
const EXPECTED = 'edge_waf_threats_expected_per_minute';

describe('the newest bucket', () => {
  it('is a lower bound once enough buckets were only seen to grow, and an estimate once it is known how they do', () => {
    const { poll, learnRestatements } = polling('waf', { threats: filling(1_000), blocked: filling(500) });
    expect(poll(0).size).toBe(0);
    learnRestatements(1_000);
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
    sudden.learnRestatements(1_000);
    for (let minute = 0; minute < 100; minute += 1) sudden.poll(minute);
    expect(sudden.poll(100).get(EXPECTED)).toBe(1_000);
  });

  it('is the newest with any data: what the platform has not aggregated yet is no zero', () => {
    const { poll, learnRestatements } = polling(
      'waf',
      { threats: (_, age) => (age < 3 ? 0 : 70 * (age - 2)) },
      6 * MINUTE,
    );
    learnRestatements(1_000);
    const exposed = poll(30);
    expect(exposed.get(AT_LEAST)).toBe(70);
    expect(exposed.get('edge_seen_until_timestamp_seconds')).toBe(27);
  });

  it('is the one that the gauges show where there is no traffic: an attack that is over is not shown on', () => {
    const { poll, learnRestatements } = polling('waf', { threats: (start) => (start < 10 ? 300 : 0) });
    learnRestatements(1_000);
    expect(poll(10).get(AT_LEAST)).toBe(300);
    expect(poll(13).get(AT_LEAST)).toBe(0);
  });

  it('sums the responses of a class over their codes', () => {
    const { poll, learnRestatements } = polling('status_code', {
      500: () => 7,
      503: () => 5,
      '5xx': () => 1,
      200: () => 90,
    });
    learnRestatements(1_000);
    const bounds = [...poll(1)].filter(([name]) => name.includes('at_least'));
    expect(bounds).toEqual([
      ['edge_responses_at_least_per_minute 2xx', 90],
      ['edge_responses_at_least_per_minute 5xx', 13],
    ]);
  });

  it('is shown no more as soon as the platform lowers buckets', () => {
    const grown: Readonly<Record<string, Values>> = { threats: filling(1_000) };
    const { poll, learnRestatements } = polling('waf', grown);
    learnRestatements(1_500);
    expect(poll(1).get(AT_LEAST)).toBe(100);
    expect(poll(2).get(AT_LEAST)).toBe(100);
    expect(poll(3, { threats: () => 90 }).size).toBe(0);
  });

  it('does not go back in time where an answer lacks it', () => {
    const { poll, learnRestatements } = polling('waf', { threats: filling(1_000) });
    learnRestatements(1_000);
    poll(5);
    const lacking = poll(6, { threats: (start, age) => (start >= 4 ? 0 : filling(1_000)(start, age)) });
    expect(lacking.get('edge_seen_until_timestamp_seconds')).toBe(5);
  });

  it('says nothing of metrics that wake nobody', () => {
    const { poll, learnRestatements } = polling('data_transferred_total', { total: filling(1_000) });
    learnRestatements(1_000);
    expect(poll(1).size).toBe(0);
  });
});
