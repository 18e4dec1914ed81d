import { writeFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

/** Writes how many errors no test caught into a file: vitest's JSON report does not name them. */
export class UnhandledErrors implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    writeFileSync(this.#path, String(errors.length));
  }
}
