import { fraction, keyOf } from '../hash.ts';
import { concerns, type FaultContext } from './conditions.ts';
import {
  type FaultName,
  type FaultSettings,
  type Faults,
  faultsSchema,
  type LastingFault,
} from './faults.ts';

/** The faults that are on; they can be changed at any time. Random numbers come from the seed: runs repeat. */
export class FaultSwitch {
  readonly #seed: number;
  readonly #draws = new Map<FaultName, number>();
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

  /** The settings of the fault if it applies to this request; each call decides anew. */
  strike<Name extends Exclude<FaultName, LastingFault>>(
    name: Name,
    context: FaultContext,
  ): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined || !concerns(fault, context)) return undefined;
    return this.chance(name) < fault.probability ? fault : undefined;
  }

  /** The settings of a fault that lasts, while it does. */
  lasting<Name extends LastingFault>(name: Name, context: FaultContext): Faults[Name] | undefined {
    const fault = this.#faults[name];
    return fault !== undefined && concerns(fault, context) ? fault : undefined;
  }

  /** The next random number for this fault, 0 <= number < 1. */
  chance(name: FaultName): number {
    const draw = this.#draws.get(name) ?? 0;
    this.#draws.set(name, draw + 1);
    return fraction(keyOf(this.#seed, name), draw);
  }
}
