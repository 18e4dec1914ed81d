import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });

/** The package's manifest, as seen from what is built, or else from here. */
const MANIFEST = ['../package.json', '../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((path) => existsSync(path));

/** The version of this program. */
export const VERSION: string = PACKAGE.parse(MANIFEST && JSON.parse(readFileSync(MANIFEST, 'utf8'))).version;
