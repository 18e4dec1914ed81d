import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes the number of uncaught errors to a file, because vitest's JSON report does not contain it. */
export class UnhandledErrors implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    writeFileSync(this.#path, String(errors.length));
  }
}
