import { MEANING_FAMILIES, RAW_FAMILIES } from '../catalogue/families.ts';
import type { Family } from '../catalogue/family.ts';

/** The help text of a family, by its name; empty where it is not known. */
export type FamilyHelp = (name: string) => string;

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

/** Whether a family is of buckets that are pushed, rather than of what `/metrics` alone has. */
export function isPushedFamily(name: string): boolean {
  return HELP.has(name);
}

/** Help as the catalogue has it: an outbox holds names alone. */
export const catalogueHelp: FamilyHelp = (name) => HELP.get(name) ?? '';
