import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decoded, decodeSeries } from '../../../src/exporter/decode/decode.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

const MINUTE = 60_000;
const T0 = Date.UTC(2024, 0, 1);
const NOW = T0 + 3 * 24 * 60 * MINUTE;
const ASKED = { metric: 'waf', id: '42' };

const decode = (body: unknown): Decoded => decodeSeries(body, ASKED, NOW);

type Row = readonly [number, number];

const series = fc
  .record({
    start: fc.nat(1000),
    values: fc.array(fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }), {
      minLength: 6,
      maxLength: 60,
    }),
  })
  .map(({ start, values }) => values.map((value, index): Row => [T0 + (start + index) * MINUTE, value + 0]));

const answer = fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,8}$/), series, { minKeys: 1, maxKeys: 5 });

const badTimestamp = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.integer({ min: -1e9, max: 1e8 }),
  fc.integer({ min: 1e8, max: 1e11 }),
);
const badValue = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.double({ max: -1e-9, noNaN: true }),
  fc.constant({}),
);
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, 1, 'x', {}, [], [T0], [T0, 1, 1]),
  fc.tuple(badTimestamp, fc.nat()),
  fc.tuple(fc.integer({ min: T0, max: NOW }), badValue),
  fc.tuple(fc.integer({ min: NOW + 2 * MINUTE, max: NOW * 2 }), fc.nat()),
);

function disturbed(rows: readonly Row[]): fc.Arbitrary<unknown[]> {
  return fc
    .tuple(fc.subarray([...rows]), fc.array(junk, { maxLength: 20 }))
    .chain(([repeated, bad]) => shuffled([...rows, ...repeated, ...bad]));
}

function shuffled(rows: unknown[]): fc.Arbitrary<unknown[]> {
  return fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length });
}

const disturbedAnswer = answer.chain((dimensions) => {
  const parts = Object.entries(dimensions).map(([name, rows]) =>
    disturbed(rows).map((all) => [name, all] as const),
  );
  return fc.tuple(...parts).map((all) => ({ valid: dimensions, body: Object.fromEntries(all) }));
});

describe('decodeSeries, whatever the platform sends', () => {
  it('finds the same points in any order, with repetitions and junk', () => {
    fc.assert(
      fc.property(disturbedAnswer, ({ valid, body }) => {
        const expected = decode({ configurations: { 42: { waf: valid } } });
        const found = decode({ configurations: { 42: { waf: body } } });
        expect(new Map([...found.series].sort())).toEqual(new Map([...expected.series].sort()));
      }),
    );
  });

  it('accounts for each row: kept, dropped and counted, or a repetition', () => {
    fc.assert(
      fc.property(disturbedAnswer, ({ body }) => {
        const found = decode(body);
        const kept = [...found.series.values()].reduce((sum, { values }) => sum + values.length, 0);
        const dropped = [...found.rejected.values()].reduce((sum, count) => sum + count, 0);
        const repeated = Object.values(body).reduce((sum, rows) => sum + repetitions(rows), 0);
        expect(kept + dropped + repeated).toBe(found.rows);
      }),
    );
  });

  const ids = fc.constantFrom('42', 'waf', 'configurations', 'products', 'results', 'total', '__proto__');
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.array(fc.tuple(fc.oneof(fc.double(), fc.constant(T0)), fc.jsonValue())),
      fc.dictionary(ids, tie('value')),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  })).value;

  it('never fails but as undecodable, and what it gives is always clean', () => {
    fc.assert(
      fc.property(anything, (body) => {
        const found = attempt(body);
        if (found instanceof PlatformFailure) {
          expect(found.outcome).toBe('undecodable');
          return;
        }
        for (const { timestamps, values } of found.series.values()) {
          expect(timestamps.length).toBe(values.length);
          expect(values.every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
          expect(timestamps.every((time, index) => index === 0 || time > Number(timestamps[index - 1]))).toBe(
            true,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

function attempt(body: unknown): Decoded | PlatformFailure {
  try {
    return decode(body);
  } catch (failure) {
    if (failure instanceof PlatformFailure) return failure;
    throw failure;
  }
}

function repetitions(rows: readonly unknown[]): number {
  const good = rows.filter((row): row is Row => isGood(row));
  return good.length - new Set(good.map(([time]) => time)).size;
}

function isGood(row: unknown): boolean {
  if (!Array.isArray(row) || row.length !== 2) return false;
  const [time, value] = row;
  return (
    typeof time === 'number' && time > 1e11 && time <= NOW + MINUTE && typeof value === 'number' && value >= 0
  );
}
