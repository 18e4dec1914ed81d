/** A metric family: all the series that share a name, a type and a help text. */
export interface Family {
  /** As on a sample line, so a counter's ends in `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  /** Meaning, unit, and the part of the platform's API that it comes from. */
  readonly help: string;
}

/** A family whose series all have the same label names. */
export interface LabelledFamily extends Family {
  readonly labels: readonly string[];
}

/** Label names and values, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** One sample as it is exposed; its time is the time of the scrape. */
export interface Sample {
  readonly family: Family;
  readonly labels: Labels;
  readonly value: number;
}

/** A sample at a time of its own, for receivers that keep it there. */
export interface TimedSample extends Sample {
  /** Milliseconds since the epoch; for a bucket its end, when its value is complete. */
  readonly at: number;
  /** When a counter was at zero (ms since the epoch); undefined for a gauge. */
  readonly since?: number;
}

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
