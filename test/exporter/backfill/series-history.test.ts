import { describe, expect, it } from 'vitest';
import {
  assemble,
  counterPoints,
  gaugePoints,
  seriesLines,
} from '../../../src/exporter/backfill/series-history.ts';
import type { SpoolRecord } from '../../../src/exporter/backfill/work-folder.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';

const FAMILY = { name: 'edge_x', type: 'gauge', help: '' } as const;
const START = 1_767_607_200_000;

function record(window: number, given: Partial<SpoolRecord>): SpoolRecord {
  return { window, width: MINUTE_MS, times: [], series: {}, ...given };
}

/** Starts of buckets, in minutes since START. */
function minutes(...at: number[]): number[] {
  return at.map((minute) => START + minute * MINUTE_MS);
}

describe('the windows of a metric put together', () => {
  const records = [
    record(0, { times: minutes(0, 1), series: { total: [1, 2] } }),
    record(1, { times: minutes(2, 3), series: { http: [5, null], total: [3, 4] } }),
    record(2, {}),
  ];

  it('have a place for every bucket, with a hole where a dimension has none', () => {
    const { starts, widths, values } = assemble(records, Number.POSITIVE_INFINITY);
    expect([...starts]).toEqual(minutes(0, 1, 2, 3));
    expect([...widths]).toEqual([MINUTE_MS, MINUTE_MS, MINUTE_MS, MINUTE_MS]);
    expect([...(values.get('total') ?? [])]).toEqual([1, 2, 3, 4]);
    expect([...(values.get('http') ?? [])]).toEqual([Number.NaN, Number.NaN, 5, Number.NaN]);
  });

  it('end with the last bucket that ends in time', () => {
    expect([...assemble(records, START + 4 * MINUTE_MS - 1).starts]).toEqual(minutes(0, 1, 2));
  });

  it('take the width of buckets that came alone from their neighbours', () => {
    const alone = [0, 60, 120, 240].map((minute, window) =>
      record(window, { width: null, times: minutes(minute), series: { total: [minute] } }),
    );
    expect([...assemble(alone, Number.POSITIVE_INFINITY).widths]).toEqual(
      [60, 60, 60, 60].map((m) => m * MINUTE_MS),
    );
  });
});

describe('the lines of a series', () => {
  const history = {
    starts: Float64Array.from(minutes(0, 1, 2)),
    widths: new Float64Array(3).fill(MINUTE_MS),
    values: Float64Array.from([5, Number.NaN, 10]),
  };

  it('show a gauge at the end of every bucket, and nothing where there is a hole', () => {
    const gauge = { family: FAMILY, scale: 10, perMinute: true };
    expect([...seriesLines('edge_x{a="b"}', 3, gaugePoints(history, gauge))].join('')).toBe(
      'edge_x{a="b"} 50 1767607260\nedge_x{a="b"} 100 1767607380\n',
    );
  });

  it('bring counts of wide buckets to a minute, but not levels', () => {
    const wide = { ...history, widths: new Float64Array(3).fill(5 * MINUTE_MS) };
    const lines = (perMinute: boolean) =>
      [...seriesLines('x', 3, gaugePoints(wide, { family: FAMILY, scale: 1, perMinute }))].join('');
    expect(lines(true)).toMatch(/^x 1 /);
    expect(lines(false)).toMatch(/^x 5 /);
  });

  it('count from zero, a millisecond after the first bucket began, and over holes', () => {
    expect(
      [...seriesLines('x_total', 3, counterPoints(history, { family: FAMILY, scale: 0.5 }))].join(''),
    ).toBe('x_total 0 1767607200.001\nx_total 2.5 1767607260\nx_total 7.5 1767607380\n');
  });

  it('come in pieces that hold every line once, however many there are', () => {
    const count = 4_321;
    const long = {
      starts: Float64Array.from({ length: count }, (_, index) => START + index * MINUTE_MS),
      widths: new Float64Array(count).fill(MINUTE_MS),
      values: new Float64Array(count).fill(1),
    };
    const pieces = [
      ...seriesLines('x', count, gaugePoints(long, { family: FAMILY, scale: 1, perMinute: true })),
    ];
    expect(pieces.length).toBeGreaterThan(2);
    const times = pieces
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[2]) * 1_000);
    expect(times).toEqual([...long.starts].map((start) => start + MINUTE_MS));
  });
});
