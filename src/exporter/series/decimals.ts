/** Decimals of up to this many significant digits survive a conversion to a double and back. */
const DIGITS = 15;

/** Relative error of a sum or of a product of two or three factors: a rounding or two. */
const NOISE = 2 ** -51;

/**
 * Returns the decimal that a computed value stands for. The platform writes decimals (megabytes with three places), and their
 * sums are decimals too, but binary arithmetic returns 7337999.999999999 for 7338000.
 */
export function decimal(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  const short = Number(value.toPrecision(DIGITS));
  return Math.abs(short - value) <= Math.abs(value) * NOISE ? short : value;
}

/** Adds a value that is not negative to a running total, which never falls. */
export function addedUp(total: number, value: number): number {
  return Math.max(total, decimal(total + value));
}
