import { createRequire } from 'node:module';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });

/** The version of this program. */
export const VERSION: string = PACKAGE.parse(
  createRequire(import.meta.url)('edge-exporter/package.json'),
).version;
