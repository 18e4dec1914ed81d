import { expect, it } from 'vitest';
import { periodOf } from '../../../src/exporter/rate-limit/poll-intervals.ts';

const MINUTE = 60_000;

it.each([
  ['* * * * *', 1, 1],
  ['*/5 * * * *', 5, 5],
  ['0 3 * * *', 24 * 60, 24 * 60],
  ['*/30 * * * * *', 0.5, 0.5],
])('is the gap of an even pattern: %s', (pattern, mean, longest) => {
  expect(periodOf(pattern)).toEqual({ mean: mean * MINUTE, longest: longest * MINUTE });
});

it('costs by the mean gap of an uneven pattern, and leaves values alone for the longest', () => {
  const { mean, longest } = periodOf('0,1,2 * * * *');
  expect(mean / MINUTE).toBeGreaterThan(19);
  expect(mean / MINUTE).toBeLessThan(21);
  expect(longest).toBe(58 * MINUTE);
});
