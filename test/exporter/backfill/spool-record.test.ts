import { describe, expect, it } from 'vitest';
import { type HistoryWindow, windowsOf } from '../../../src/exporter/backfill/history-plan.ts';
import { isWhole, parseSpoolLine, recordOf } from '../../../src/exporter/backfill/work-folder.ts';
import type { Points } from '../../../src/exporter/decode/points.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';

const HOUR = 60 * MINUTE_MS;
const FROM = 490_000 * HOUR;
const [WINDOW] = windowsOf({ from: FROM, to: FROM + HOUR }) as [HistoryWindow];

function points(start: number, width: number, count: number, value = (index: number) => index): Points {
  return {
    timestamps: Float64Array.from({ length: count }, (_, index) => start + index * width),
    values: Float64Array.from({ length: count }, (_, index) => value(index)),
  };
}

describe('the record of a window', () => {
  it('holds the buckets that start in it, and no others', () => {
    const record = recordOf(
      WINDOW,
      new Map([['total', points(FROM - 2 * MINUTE_MS, MINUTE_MS, 70)]]),
      MINUTE_MS,
    );
    expect(record.times).toHaveLength(60);
    expect(record.series['total']?.[0]).toBe(2);
    expect(isWhole(record, WINDOW, FROM + HOUR)).toBe(true);
  });

  it('marks what one dimension lacks, and is not whole then', () => {
    const short = points(FROM, MINUTE_MS, 59);
    const series = new Map([
      ['total', points(FROM, MINUTE_MS, 60)],
      ['http', short],
    ]);
    const record = recordOf(WINDOW, series, MINUTE_MS);
    expect(record.series['http']?.at(-1)).toBeNull();
    expect(isWhole(record, WINDOW, FROM + HOUR)).toBe(false);
    expect(parseSpoolLine(JSON.stringify(record))).toEqual(record);
  });

  it.each([
    ['nothing', new Map()],
    ['a dimension without points', new Map([['total', points(FROM, MINUTE_MS, 0)]])],
    ['buckets missing at the end', new Map([['total', points(FROM, MINUTE_MS, 50)]])],
    ['buckets missing at the start', new Map([['total', points(FROM + 5 * MINUTE_MS, MINUTE_MS, 55)]])],
  ])('is not whole with %s', (_, series) => {
    expect(isWhole(recordOf(WINDOW, series, MINUTE_MS), WINDOW, FROM + HOUR)).toBe(false);
  });

  it('is whole with wide buckets that neither start nor end with it, and leaves the last to settle', () => {
    const range = { from: FROM + 3 * MINUTE_MS, to: FROM + 42 * MINUTE_MS };
    const [window] = windowsOf(range) as [HistoryWindow];
    const record = recordOf(window, new Map([['total', points(FROM, 5 * MINUTE_MS, 12)]]), 5 * MINUTE_MS);
    expect(record.times).toEqual(Array.from({ length: 8 }, (_, index) => FROM + (index + 1) * 5 * MINUTE_MS));
    expect(isWhole(record, window, range.to)).toBe(true);
    const lacking = { ...record, times: record.times.slice(1), series: { total: [1, 2, 3, 4, 5, 6, 7] } };
    expect(isWhole({ ...lacking, times: lacking.times.slice(0, 5) }, window, range.to)).toBe(false);
  });
});

it('a line that was not written to its end, or that is no line of a spool, is none', () => {
  const line = JSON.stringify(recordOf(WINDOW, new Map([['total', points(FROM, MINUTE_MS, 60)]]), MINUTE_MS));
  expect(parseSpoolLine(line.slice(0, -1))).toBeUndefined();
  expect(parseSpoolLine('\0\0\0')).toBeUndefined();
  expect(parseSpoolLine('{"window":-1}')).toBeUndefined();
  expect(parseSpoolLine('{"vanished":true}')).toEqual({ vanished: true });
});
