import type { Family, TimedSample } from '../catalogue/family.ts';
import { LONGEST_LABEL_VALUE } from '../exposition/label-text.ts';

/** A sample as it goes to a receiver. */
export interface PushedSample {
  /** Without its help text: that is looked up when it is sent. */
  readonly family: Pick<Family, 'name' | 'type'>;
  /** Without empty ones. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly since: number | undefined;
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
