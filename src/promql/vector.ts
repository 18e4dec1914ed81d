import type { Labels } from './labels.ts';

/** A compiled expression that yields a number. */
export interface Scalar {
  readonly kind: 'scalar';
  readonly at: (moment: number) => number;
}

/**
 * A compiled expression that yields a vector: one place for each set of labels that it can ever have, NaN where there is
 * no element. The array is the expression's own and is overwritten by the next call.
 */
export interface Vector {
  readonly kind: 'vector';
  readonly labels: readonly Labels[];
  readonly at: (moment: number) => Float64Array;
}

export type Compiled = Scalar | Vector;
