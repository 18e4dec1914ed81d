/**
 * Unpacks the tools that are named, where they are missing, as the end-to-end tests do: `run.mjs` runs it before a benchmark.
 * Says which cannot be had, and how to get them; a benchmark that cannot do without ends by itself.
 */
import { provideTools } from '../end-to-end/provided-tools.ts';
import type { Tool } from '../end-to-end/tools.ts';

await provideTools(process.argv.slice(2) as Tool[]).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
});
