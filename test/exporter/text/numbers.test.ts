import { expect, it } from 'vitest';
import { grouped, plainNumber, plainShare } from '../../../src/exporter/text/figures.ts';

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

it('thousands are apart as English writes them', () => {
  const english = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
  for (const value of [0, 7, 12.34, 999.96, 1_000, 12_345.6, 1_234_567.89, -1_234, 0.04])
    expect(grouped(value)).toBe(english.format(value));
});
