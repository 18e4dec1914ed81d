import { MEANING_FAMILIES, RAW_FAMILIES } from '../catalogue/families.ts';
import type { Family } from '../catalogue/family.ts';
import type { PushedFamily } from './pushed-sample.ts';

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
