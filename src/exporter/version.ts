import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });

/** Manifest of the package, relative to the build or to the source. */
const MANIFEST = ['../package.json', '../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((path) => existsSync(path));

/** Version of this program. */
export const VERSION: string = PACKAGE.parse(MANIFEST && JSON.parse(readFileSync(MANIFEST, 'utf8'))).version;
