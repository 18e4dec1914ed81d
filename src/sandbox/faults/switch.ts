import { fraction, keyOf } from '../hash.ts';
import {
  concerns,
  type FaultContext,
  type FaultName,
  type FaultSettings,
  type Faults,
  faultsSchema,
} from './faults.ts';

/**
 * The faults that are on; they can be changed at any time. Random numbers come from the seed, those of each path in a
 * row of their own: runs repeat, whichever of several requests at the same moment arrives first.
 */
export class FaultSwitch {
  readonly #seed: number;
  /** How many numbers were drawn, by fault and path. */
  readonly #draws = new Map<string, number>();
  #faults: Faults = {};

  constructor(seed: number, faults: FaultSettings = {}) {
    this.#seed = keyOf(seed, 'faults');
    this.set(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Turns these on and all others off. @throws ZodError when a setting is not understood */
  set(faults: FaultSettings): void {
    this.#faults = faultsSchema.parse(faults);
    this.#draws.clear();
  }

  /** Turns these on, and off those that are null; the others stay. @throws ZodError */
  patch(faults: { readonly [Name in FaultName]?: FaultSettings[Name] | null }): void {
    const merged = { ...this.#faults, ...faults };
    const kept = Object.entries(merged).filter(([, fault]) => fault !== null && fault !== undefined);
    this.#faults = faultsSchema.parse(Object.fromEntries(kept));
  }

  clear(): void {
    this.set({});
  }

  /** The settings of the fault if it applies to this request; of those that may apply at random each call decides anew. */
  strike<Name extends FaultName>(name: Name, context: FaultContext): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined || !concerns(fault, context)) return undefined;
    const strikes = !('probability' in fault) || this.chance(name, context) < fault.probability;
    return strikes ? fault : undefined;
  }

  /** The next random number for this fault and path, 0 <= number < 1. */
  chance(name: FaultName, { path }: FaultContext): number {
    const row = `${name} ${path}`;
    const draw = this.#draws.get(row) ?? 0;
    this.#draws.set(row, draw + 1);
    return fraction(keyOf(this.#seed, row), draw);
  }
}
