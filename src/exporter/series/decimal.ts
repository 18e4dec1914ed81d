/** Decimals of up to this many significant digits survive a conversion to a double and back. */
const DIGITS = 15;

/** How far (relative) a sum or a product of two or three factors may be beside the true one: a rounding or two. */
const NOISE = 2 ** -51;

/**
 * The decimal that a computed value stands for. The platform writes decimals (megabytes with three places, percent), and
 * sums and products of them are decimals, too; in binary they come out a digit beside it, as 7337999.999999999 for
 * 7338000. A value that is no short decimal stays as it is.
 */
export function decimal(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  const short = Number(value.toPrecision(DIGITS));
  return Math.abs(short - value) <= Math.abs(value) * NOISE ? short : value;
}

/** A running total of values that are not negative, after one more. It never falls. */
export function addedUp(total: number, value: number): number {
  return Math.max(total, decimal(total + value));
}
