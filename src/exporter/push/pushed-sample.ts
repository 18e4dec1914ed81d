import { MEANING_FAMILIES, RAW_FAMILIES } from '../catalogue/catalogue.ts';
import type { Family, Labels, TimedSample } from '../catalogue/family.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { type FamilyMetadata, shownLabels } from '../exposition/text-format.ts';
import { matchesAny } from '../text/glob.ts';

/** What a receiver is told of a sample's family. */
export interface PushedFamily {
  /** Of the series: for histograms and summaries with the suffix of its line. */
  readonly name: string;
  readonly type: FamilyMetadata['type'];
  /** Where the catalogue has none of this name. */
  readonly help?: string;
}

/** A sample as it goes to a receiver; its labels without empty ones. */
export interface PushedSample {
  readonly family: PushedFamily;
  readonly labels: Labels;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When a counter was at zero (ms since the epoch). */
  readonly since: number | undefined;
  /** The series ends here: instead of a value, receivers get a stale marker. */
  readonly ended?: true;
}

/** A sample with its labels as `/metrics` shows them. */
export function pushed({ family: { name, type }, labels, value, at, since }: TimedSample): PushedSample {
  return { family: { name, type }, labels: shownLabels(labels), value, at, since };
}

const HELP = new Map(
  [
    ...Object.values(RAW_FAMILIES),
    ...Object.values(MEANING_FAMILIES).flatMap((families) =>
      [...families.values()].flatMap(({ gauge, counter }) =>
        counter === undefined ? [gauge] : [gauge, counter],
      ),
    ),
  ].map(({ name, help }: Family) => [name, help]),
);

/** Whether a family is of buckets, which are pushed at their own times. */
export function isBucketFamily(name: string): boolean {
  return HELP.has(name);
}

/** The help text of a family; an outbox holds names alone. */
export function helpOf({ name, help }: PushedFamily): string {
  return help ?? HELP.get(name) ?? '';
}

/** What a sample is selected by. */
interface Selectable {
  readonly family: { readonly name: string };
  readonly labels: Labels;
}

/** Whether a sample is of the families and accounts that a receiver is to have; what is of no account, every receiver has. */
export function selectionOf({
  families,
  accounts,
}: Pick<Receiver, 'families' | 'accounts'>): (sample: Selectable) => boolean {
  const isFamily = matchesAny(families);
  const isAccount = matchesAny(accounts);
  return ({ family, labels: { account } }) =>
    isFamily(family.name) && (account === undefined || isAccount(account));
}
