import type { Labels } from './family.ts';

/**
 * What a value measures, whichever API metric and dimension it comes from. Values of one meaning can be summed over
 * every label; what overlaps, or is of another kind, is another meaning.
 */
export interface Meaning {
  /** The family's name without namespace, and for additive meanings without `_per_minute` and `_total`. */
  readonly stem: string;
  /** Whether the values of consecutive buckets add up (counts, volumes); others are levels, rates or ratios. */
  readonly additive: boolean;
  /** What the platform's figure is in, which decides how it becomes a base unit. */
  readonly unit: 'count' | 'seconds' | 'volume' | 'rate' | 'percent';
  /** What is measured, as the beginning of a sentence. */
  readonly text: string;
  /** The labels by which its lower bounds differ; undefined where none are shown. */
  readonly boundedBy?: readonly string[];
}

/** What one dimension of an API metric says: which meaning, and by which labels it differs from the others of that meaning. */
export interface Reading {
  readonly meaning: Meaning;
  readonly labels: Labels;
}

/** An API metric that the catalogue knows. */
export interface KnownMetric {
  /** Its dimensions by name. */
  readonly dimensions: ReadonlyMap<string, Reading>;
  /** The reading of a dimension that is not listed by name but follows a pattern. */
  readonly pattern?: (dimension: string) => Reading | undefined;
  /** The dimension that a series without a name is of, where it is not `total` or the only one. */
  readonly unnamed?: string;
}

/** A number of things that happened in a bucket. */
export function count(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'count', text };
}

/** The same meaning, with lower bounds and estimates of its newest buckets: of what wakes people. */
export function bounded(meaning: Meaning, boundedBy: readonly string[]): Meaning {
  return { ...meaning, boundedBy };
}

/** Time that was taken in a bucket; `stem` says `seconds`. */
export function seconds(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'seconds', text };
}

/** An amount of data moved in a bucket; `stem` says `bytes`. */
export function volume(stem: string, text: string): Meaning {
  return { stem, additive: true, unit: 'volume', text };
}

/** A level, rate or ratio, whose consecutive buckets do not add up. */
export function level(stem: string, unit: Meaning['unit'], text: string): Meaning {
  return { stem, additive: false, unit, text };
}

/** A metric whose dimensions each have a meaning, without labels or with one label by which they differ. */
export function known(...readings: readonly (readonly [dimension: string, Meaning, Labels?])[]): KnownMetric {
  return { dimensions: new Map(readings.map(([name, meaning, labels = {}]) => [name, { meaning, labels }])) };
}
