/** Maximum number of significant digits of a decimal that survives a conversion to a double and back. */
const DIGITS = 15;

/** Bound on the relative error of a sum, or of a product of two or three factors. */
const NOISE = 2 ** -51;

/**
 * Returns the decimal that a computed value stands for. The platform writes decimals (megabytes with three places), whose sums are
 * decimals too. Binary arithmetic returns 7337999.999999999 for 7338000.
 */
export function decimal(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  const short = Number(value.toPrecision(DIGITS));
  return Math.abs(short - value) <= Math.abs(value) * NOISE ? short : value;
}

/** Returns the sum of a running total and a value that is not negative. The result is never below the total. */
export function addedUp(total: number, value: number): number {
  return Math.max(total, decimal(total + value));
}
