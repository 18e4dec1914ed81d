import { access, constants, mkdir, open, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** File that locks a directory. */
export const LOCK_FILE = 'lock.db';

/** Database in a state directory; SQLite adds a log beside it. */
export const DATABASE_FILE = 'state.db';

/** Creates a missing directory, accessible only for its owner. Returns its real path. @throws if it cannot be written */
export async function ensureDirectory(directory: string): Promise<string> {
  const path = resolve(directory);
  const created = await createWhole(path, 0o700);
  // Every new directory must survive a power failure, because commits below it would be lost with it.
  for (let at = path; created && at.length >= created.length; at = dirname(at))
    await syncDirectory(dirname(at));
  const real = await realpath(path);
  await access(real, constants.R_OK | constants.W_OK | constants.X_OK);
  return real;
}

/**
 * Creates a directory with its parents and returns the topmost created one; undefined if it existed. Node's `recursive` option
 * loops forever if a file system reports that the path to create does not exist, as /proc does.
 */
export async function createWhole(path: string, mode?: number): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = path; (await unlessMissing(stat(at))) === undefined; at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    await mkdir(at, { mode }).catch((error: NodeJS.ErrnoException) => {
      // Another process created it first.
      if (error.code !== 'EEXIST') throw error;
    });
  }
  if (!(await stat(path)).isDirectory())
    throw Object.assign(new Error('it is not a directory'), { code: 'ENOTDIR' });
  return missing[0];
}

/** Returns the result of a file operation; undefined if the file does not exist. */
export async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the names in the directory survive a power failure. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates an empty database file if it is missing. SQLite copies its permissions to its other files. */
export async function createDatabaseFile(directory: string): Promise<void> {
  await writeFile(join(directory, DATABASE_FILE), '', { flag: 'a', mode: 0o600 });
}

/** Renames the database in a directory, with its log, and returns the new path. */
export async function setAside(directory: string, now: number): Promise<string> {
  const path = join(directory, DATABASE_FILE);
  const aside = `${path}.set-aside-${new Date(now).toISOString().replaceAll(':', '-')}`;
  // Renames the log last: SQLite removes a log that it finds without a database.
  for (const file of ['', '-wal']) await unlessMissing(rename(path + file, aside + file));
  await createDatabaseFile(directory);
  await syncDirectory(directory);
  return aside;
}

/** Returns the code of an error of the system or of SQLite; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Error because another running process uses the state directory: two processes would count every bucket twice. */
export class StateInUse extends Error {
  override readonly name = 'StateInUse';

  constructor(directory: string) {
    // SQLite reports both cases with the same error.
    super(
      `the state directory ${directory} is in use by another edge-exporter, or its file system locks no files`,
    );
  }
}
