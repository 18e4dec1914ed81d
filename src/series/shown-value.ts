import type { Faces } from '../catalogue/catalogue.ts';
import { decimal } from '../catalogue/decimal.ts';
import { MINUTE_MS } from '../settling/window.ts';

/** A bucket's value as its gauge shows it. @param width of the bucket, in ms */
export function gaugeValue(value: number, { scale, perMinute }: Faces['gauge'], width: number): number {
  return decimal(perMinute ? (value * scale * MINUTE_MS) / width : value * scale);
}

/** A sum of buckets as its counter shows it. */
export function counterValue(total: number, { scale }: NonNullable<Faces['counter']>): number {
  return decimal(total * scale);
}
