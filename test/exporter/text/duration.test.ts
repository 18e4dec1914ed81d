import { expect, it } from 'vitest';
import { duration } from '../../../src/exporter/text/figures.ts';

it.each([
  [0, '0 s'],
  [0.4, '0 s'],
  [-5, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [90, '1 min 30 s'],
  [3_600, '1 h'],
  [3_605, '1 h'],
  [7_500, '2 h 5 min'],
  [2 * 86_400 + 4 * 3_600 + 59, '2 d 4 h'],
])('%d seconds are said as %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
