import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatThreshold, formatValue } from '../../src/exposition/sample-value.ts';

describe('the text of a value', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [75207, '75207'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('%d is written %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  it('reads back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        expect(Number(formatValue(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it.each([
    [1, '1.0'],
    [-10, '-10.0'],
    [0.005, '0.005'],
    [1e22, '1e+22'],
    [Infinity, '+Inf'],
  ])('as a threshold, %d is written %s', (value, text) => {
    expect(formatThreshold(value)).toBe(text);
  });
});
