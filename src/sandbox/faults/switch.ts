import { fraction, keyOf } from '../hash.ts';
import {
  concerns,
  type FaultName,
  type FaultSettings,
  type Faults,
  faultsSchema,
  type LastingFault,
  type Occasion,
} from './faults.ts';

/** The faults that are on, changed while the sandbox runs. Chance is drawn from the seed: runs repeat. */
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

  /** The settings of the fault, when it strikes this request; each call draws anew. */
  strike<Name extends Exclude<FaultName, LastingFault>>(
    name: Name,
    occasion: Occasion,
  ): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined || !concerns(fault, occasion)) return undefined;
    return this.chance(name) < fault.probability ? fault : undefined;
  }

  /** The settings of a fault that lasts, while it does. */
  lasting<Name extends LastingFault>(name: Name, occasion: Occasion): Faults[Name] | undefined {
    const fault = this.#faults[name];
    return fault !== undefined && concerns(fault, occasion) ? fault : undefined;
  }

  /** The next draw of this fault's, from 0 up to 1. */
  chance(name: FaultName): number {
    const draw = this.#draws.get(name) ?? 0;
    this.#draws.set(name, draw + 1);
    return fraction(keyOf(this.#seed, name), draw);
  }
}
