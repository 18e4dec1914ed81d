import type { Labels, TimedSample } from '../catalogue/family.ts';
import type { FamilyMetadata } from '../exposition/family-header.ts';
import { LONGEST_LABEL_VALUE } from '../exposition/sample-text.ts';

/** What a receiver is told of a sample's family. */
export interface PushedFamily {
  /** Of the series: for histograms and summaries with the suffix of its line. */
  readonly name: string;
  readonly type: FamilyMetadata['type'];
  /** Where the catalogue has none of this name. */
  readonly help?: string;
}

/** A sample as `/metrics` shows it. */
export interface ShownSample {
  readonly family: PushedFamily;
  readonly labels: Labels;
  readonly value: number;
}

/** A sample as it goes to a receiver; its labels without empty ones. */
export interface PushedSample extends ShownSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When a counter was at zero (ms since the epoch). */
  readonly since: number | undefined;
  /** The series ends here: instead of a value, receivers get a stale marker. */
  readonly ended?: true;
}

/** A sample with its labels as `/metrics` shows them. */
export function pushed({ family, labels, value, at, since }: TimedSample): PushedSample {
  const shown = Object.entries(labels).flatMap(([name, text]) => {
    if (text === '') return [];
    return [[name, text.length > LONGEST_LABEL_VALUE ? `${text.slice(0, LONGEST_LABEL_VALUE - 1)}…` : text]];
  });
  const { name, type } = family;
  return { family: { name, type }, labels: Object.fromEntries(shown), value, at, since };
}
