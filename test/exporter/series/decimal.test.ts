import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedUp, decimal } from '../../../src/exporter/series/decimals.ts';

describe('the decimal that a computed value stands for', () => {
  it.each([
    [1.005 * 1e6, 1_005_000],
    [57 * 0.01, 0.57],
    [0.1 + 0.2, 0.3],
    [7337999.999999999, 7_338_000],
    [1 / 3, 1 / 3],
    [Math.PI * 1e6, Math.PI * 1e6],
    [0, 0],
    [12, 12],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('of %d is %d', (computed, meant) => {
    expect(decimal(computed)).toBe(meant);
  });

  it('is the one that was multiplied, whatever it is multiplied by', () => {
    const thousandths = fc.integer({ min: 0, max: 1e11 });
    fc.assert(
      fc.property(thousandths, fc.constantFrom(1e3, 1e6), (value, scale) => {
        expect(decimal((value / 1e3) * scale)).toBe((value * scale) / 1e3);
      }),
    );
  });

  it('is nearer to no other value than rounding may have moved it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Math.abs(decimal(value) - value)).toBeLessThanOrEqual(Math.abs(value) * 2 ** -51);
      }),
    );
  });
});

describe('a running total', () => {
  it('is exact for decimals, however many there are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1e8), { maxLength: 500 }), (thousandths) => {
        let total = 0;
        for (const value of thousandths) total = addedUp(total, value / 1e3);
        expect(total).toBe(thousandths.reduce((sum, value) => sum + value, 0) / 1e3);
      }),
    );
  });

  it('never falls', () => {
    const positive = fc.double({ min: 0, max: 1e300, noNaN: true });
    fc.assert(
      fc.property(positive, positive, (total, value) => {
        expect(addedUp(total, value)).toBeGreaterThanOrEqual(total);
      }),
    );
  });
});
