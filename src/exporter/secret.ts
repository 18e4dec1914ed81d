import { inspect } from 'node:util';

/** What stands in place of a secret. */
export const MASK = '[secret]';

/**
 * A credential that cannot be printed by accident: string conversion, JSON, `console.log` and loggers all
 * show a mask. Only `reveal()` gives the value, and only the code that sends it calls that.
 */
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
