import { z } from 'zod';
import { NAMES_WITH_UNITS, unitKinds } from '../catalogue/catalogue.ts';
import { baseUnits, UNIT_NAMES, type UnitName, unitsOf } from '../catalogue/units.ts';

const unitName = z.enum(UNIT_NAMES);

/** Units by metric, or by `metric.dimension`. Only a unit that has an effect is accepted. */
export const UNITS = z.record(z.string(), unitName).superRefine(
  (units, context) => {
    for (const [name, unit] of Object.entries(units)) {
      const mistake = unitMistake(name, unit);
      if (mistake !== undefined) context.addIssue({ code: 'custom', path: [name], message: mistake });
    }
  },
  { when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value) },
);

/** Why a unit would have no effect. Of names that the catalogue does not know a warning tells. */
function unitMistake(name: string, given: unknown): string | undefined {
  const kinds = unitKinds(name);
  if (kinds === undefined) return undefined;
  if (kinds.size === 0) {
    return `its figures are numbers or shares and have no unit to set; these have: ${NAMES_WITH_UNITS.join(', ')}`;
  }
  // An unknown unit is a mistake of its own.
  const { data: unit } = unitName.safeParse(given);
  if (unit === undefined || fits(unit, kinds)) return undefined;
  const what = kinds.has('rate') ? 'a bandwidth' : 'an amount of data';
  return `expected a unit of ${what}: ${unitsOf(kinds).join(', ')}`;
}

function fits(unit: UnitName, kinds: NonNullable<ReturnType<typeof unitKinds>>): boolean {
  return [...kinds].some((kind) => baseUnits(unit, kind) !== undefined);
}
