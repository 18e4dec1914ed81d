import { expect, test } from 'vitest';
import { createRequestBucket } from '../../../src/exporter/web/guard.ts';

test('a burst is taken at once, then one request per interval, and unused ones add up to a burst again', () => {
  let time = 0;
  const take = createRequestBucket(() => time);
  const rate = { interval: 1_000, burst: 2 };
  const taken = [0, 0, 0, 500, 1_000, 1_001, 60_000, 60_000, 60_000].map((at) => {
    time = at;
    return take(rate);
  });
  expect(taken).toEqual([true, true, false, false, true, false, true, true, false]);
});

test('a new limit starts with its whole burst', () => {
  const take = createRequestBucket(() => 0);
  const first = { interval: 60_000, burst: 1 };
  expect([take(first), take(first)]).toEqual([true, false]);
  const second = { interval: 60_000, burst: 1 };
  expect([take(second), take(second)]).toEqual([true, false]);
});

test('without a burst nothing is ever taken', () => {
  let time = 0;
  const take = createRequestBucket(() => time);
  const rate = { interval: 1, burst: 0 };
  expect(take(rate)).toBe(false);
  time = 1e9;
  expect(take(rate)).toBe(false);
});
