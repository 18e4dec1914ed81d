import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const PACKAGE = z.object({ version: z.string() });

/** The version of the package that this file belongs to. */
export async function readVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return PACKAGE.parse(JSON.parse(manifest)).version;
}

/** The version of this program, read once. */
export const VERSION: string = await readVersion();
