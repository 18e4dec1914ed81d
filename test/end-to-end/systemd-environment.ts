import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the environment in which an unpacked systemd tool finds the library that it shares with systemd.
 */
export function systemdEnvironment(tool: string): NodeJS.ProcessEnv {
  const library = join(tool, '..', '..', 'lib');
  if (!tool.includes('.cache') || !existsSync(library)) return process.env;
  const folders = readdirSync(library).map((architecture) => join(library, architecture, 'systemd'));
  return { ...process.env, LD_LIBRARY_PATH: folders.join(':') };
}
