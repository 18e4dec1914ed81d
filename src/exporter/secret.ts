import { inspect } from 'node:util';

/** What stands in place of a secret. */
export const MASK = '[secret]';

/** A credential that cannot be printed by accident; only `reveal()` gives the value, to the code that sends it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
