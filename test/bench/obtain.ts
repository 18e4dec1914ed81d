/**
 * Unpacks the given tools if they are missing, like the end-to-end tests. `run.mjs` runs it before a
 * benchmark. Reports missing tools and how to install them. A benchmark that needs a missing tool fails by
 * itself.
 */
import { provideTools } from '../end-to-end/provided-tools.ts';
import type { Tool } from '../end-to-end/tools.ts';

await provideTools(process.argv.slice(2) as Tool[]).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
});
