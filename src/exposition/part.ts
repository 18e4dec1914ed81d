import type { ExpositionFormat } from './negotiate.ts';
import type { Segment } from './segment.ts';

/** A part of the exposition that changes by itself, of families that no other part has. */
export interface ExpositionPart {
  /** Brings the pages up to date, in small steps between which they are still as they were. */
  refresh(): Generator<undefined, void>;
  /** Everything it shows, as last brought up to date. */
  page(format: ExpositionFormat): readonly Segment[];
  /** Has `listener` called, instead of an earlier one, whenever there is something to bring up to date. */
  onChange(listener: () => void): void;
}
