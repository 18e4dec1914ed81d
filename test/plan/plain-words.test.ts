import { expect, it } from 'vitest';
import { plainDuration, plainNumber, plainShare } from '../../src/plan/plain-words.ts';

it.each([
  [0, '0s'],
  [0.4, '0s'],
  [59.6, '1m'],
  [90, '1m 30s'],
  [3_600, '1h'],
  [3_605, '1h'],
  [12_000, '3h 20m'],
  [2 * 86_400 + 4 * 3_600 + 59, '2d 4h'],
])('%d seconds are said as %s', (seconds, words) => {
  expect(plainDuration(seconds)).toBe(words);
});

it.each([
  [0, '0'],
  [0.0001, '<0.1'],
  [0.049, '<0.1'],
  [0.05, '0.1'],
  [7.25, '7.3'],
  [64, '64'],
  [99.94, '99.9'],
  [123.4, '123'],
  [1_234_567, '1 234 567'],
])('the number %d is said as %s', (value, words) => {
  expect(plainNumber(value)).toBe(words);
});

it('shares are whole percents, and what is there is never said to be nothing', () => {
  expect([0, 0.004, 0.2, 1, 11.06].map(plainShare)).toEqual(['0%', '<1%', '20%', '100%', '1 106%']);
});
