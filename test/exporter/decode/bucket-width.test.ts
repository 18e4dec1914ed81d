import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decoded, decodeSeries } from '../../../src/exporter/decode/decode.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2024, 0, 1, 3);
const NOW = T0 + 400 * 24 * 60 * MINUTE;

function rowsAt(minutes: readonly number[]): [number, number][] {
  return minutes.map((minute) => [T0 + minute * MINUTE, 1]);
}

function decode(body: unknown): Decoded {
  return decodeSeries(body, { metric: 'status_code', id: '1' }, NOW);
}

const widthOf = (...minutes: number[]) => decode(rowsAt(minutes)).width;

describe('the bucket width of an answer', () => {
  it.each([1, 5, 60, 720])('is found for buckets of %i minutes', (width) => {
    expect(widthOf(0, width, 2 * width, 3 * width)).toBe(width * MINUTE);
  });

  it('is found where buckets are missing', () => {
    expect(widthOf(0, 1, 2, 3, 7, 8, 15)).toBe(MINUTE);
  });

  it('is that of the newest where more of those before are wider', () => {
    expect(widthOf(0, 5, 10, 15, 20, 25, 26, 27, 28)).toBe(MINUTE);
    expect(widthOf(20, 21, 22, 23, 24, 25, 30, 35, 40, 45, 50, 55)).toBe(5 * MINUTE);
    // A stray makes two of them.
    expect(widthOf(0, 6, 12, 18, 24, 27, 30)).toBe(6 * MINUTE);
    expect(widthOf(0, 5, 10, 15, 20, 25, 27, 29, 31)).toBe(5 * MINUTE);
  });

  it('is unknown of a single bucket, and where the differences do not say', () => {
    expect(widthOf(0)).toBeUndefined();
    expect(widthOf(0, 5, 7)).toBeUndefined();
    expect(widthOf(0, 7, 11, 19, 24, 40)).toBeUndefined();
  });

  it('is one for all series: a single-bucket series lies on the grid of the others', () => {
    const answer = decode({ '200': rowsAt([0, 5, 10, 15]), '404': rowsAt([10]), '500': rowsAt([12]) });
    expect(answer.width).toBe(5 * MINUTE);
    expect([...answer.series].map(([, { timestamps }]) => timestamps.length)).toEqual([4, 1, 0]);
    expect(Object.fromEntries(answer.rejected)).toEqual({ misaligned: 1 });
  });

  it('is shown by buckets without a value too, where they complete the grid', () => {
    const rows = rowsAt([0, 1, 2, 3, 4, 5, 6, 7]).map(([time, value], index) => [
      time,
      index % 2 ? null : value,
    ]);
    const answer = decode(rows);
    expect(answer.width).toBe(MINUTE);
    expect(answer.series.get('')?.timestamps).toHaveLength(4);
  });

  it('is not shown by rows without a value that lie anywhere', () => {
    const junk = [11, 23, 37].map((seconds) => [T0 + seconds * 1000, null]);
    expect(decode([...rowsAt([0, 1, 2, 3, 4]), ...junk]).width).toBe(MINUTE);
  });

  it('drops nothing when it is unknown', () => {
    const answer = decode(rowsAt([0, 5, 7]));
    expect(answer.series.get('')?.timestamps).toHaveLength(3);
    expect(answer.rejected.size).toBe(0);
  });

  it('leaves both of two interleaved grids alone, since neither is the right one', () => {
    const answer = decode({ '200': rowsAt([0, 5, 10, 15]), '404': rowsAt([2, 7, 12, 17]) });
    expect(answer.width).toBeUndefined();
    expect(answer.rejected.size).toBe(0);
  });
});

describe('one stray point', () => {
  const answers = (least: number) =>
    fc.record({
      width: fc.constantFrom(MINUTE, 5 * MINUTE, 60 * MINUTE, 720 * MINUTE),
      buckets: fc.integer({ min: least, max: 60 }),
      others: fc.integer({ min: 0, max: 3 }),
      where: fc.double({ min: -3, max: 1.2, noNaN: true }),
      midway: fc.boolean(),
    });

  function withStray({ width, buckets, others, where, midway }: Generated) {
    const grid = Array.from({ length: buckets }, (_, index) => [T0 + index * width, 60] as const);
    const place = T0 + Math.floor(where * buckets * width);
    const stray = midway ? Math.floor(place / width) * width + width / 2 : place;
    const rest = Object.fromEntries(Array.from({ length: others }, (_, index) => [`40${index}`, grid]));
    return { grid, stray, rest, body: { ...rest, '200': [...grid, [stray, 9]] } };
  }
  interface Generated {
    readonly width: number;
    readonly buckets: number;
    readonly others: number;
    readonly where: number;
    readonly midway: boolean;
  }
  /** Up to half a second off, it is a bucket's. */
  const isStray = ({ stray }: { stray: number }, width: number) =>
    Math.abs(stray - T0 - Math.round((stray - T0) / width) * width) > 500;

  it('is dropped and changes neither width nor points, given five buckets', () => {
    fc.assert(
      fc.property(answers(5), (given) => {
        const made = withStray(given);
        fc.pre(isStray(made, given.width));
        const clean = decode({ ...made.rest, '200': made.grid });
        const strayed = decode(made.body);
        expect(strayed.width).toBe(given.width);
        expect(strayed.series).toEqual(clean.series);
        expect(Object.fromEntries(strayed.rejected)).toEqual({ misaligned: 1 });
      }),
    );
  });

  it('never makes up a width, given three buckets', () => {
    fc.assert(
      fc.property(answers(3), (given) => {
        const made = withStray(given);
        fc.pre(isStray(made, given.width));
        expect([given.width, undefined]).toContain(decode(made.body).width);
      }),
    );
  });
});
