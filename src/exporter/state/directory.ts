import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';

/** The format of the state that this version writes. */
export const FORMAT = 2;
const MARKER = 'edge-exporter-state.json';
const SET_ASIDE = 'set-aside-';

/** The file by which a directory is locked. */
export const LOCK_FILE = 'lock.db';

/**
 * Creates the directory where it is missing (for its owner alone) and returns its real path; throws where it
 * cannot be written.
 */
export async function ensureDirectory(directory: string): Promise<string> {
  const path = resolve(directory);
  const created = await createWhole(path, 0o700);
  // Every new name on the way has to survive a loss of power, or what is committed below it would not.
  for (let at = path; created && at.length >= created.length; at = dirname(at))
    await syncDirectory(dirname(at));
  const real = await realpath(path);
  await access(real, constants.R_OK | constants.W_OK | constants.X_OK);
  return real;
}

/**
 * Creates a directory with those above it, and returns the topmost that it created. Node's own recursion never ends
 * where a file system answers that there is no such place as the one to be created, as /proc does.
 */
export async function createWhole(path: string, mode?: number): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = path; (await unlessMissing(stat(at))) === undefined; at = dirname(at)) missing.unshift(at);
  for (const at of missing) {
    await mkdir(at, { mode }).catch((error: NodeJS.ErrnoException) => {
      // Somebody else was faster.
      if (error.code !== 'EEXIST') throw error;
    });
  }
  if (!(await stat(path)).isDirectory())
    throw Object.assign(new Error('it is not a directory'), { code: 'ENOTDIR' });
  return missing[0];
}

/** What a file operation comes to; undefined where there is no such file. */
export async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isOneOf(error, ['ENOENT'])) return undefined;
    throw error;
  }
}

/** The directory contains other files and no state: a mistake such as `--state.dir=.` must do no harm. */
export class ForeignDirectory extends Error {
  override readonly name = 'ForeignDirectory';

  constructor(directory: string, names: readonly string[]) {
    const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '');
    super(
      `the state directory ${directory} contains other files (${some}) and no state of edge-exporter: choose another --state.dir`,
    );
  }
}

/** @throws ForeignDirectory when there is something in the directory and it is not ours */
export async function refuseForeign(directory: string): Promise<void> {
  const names = await contentOf(directory);
  if (names.length > 0 && !names.includes(MARKER)) throw new ForeignDirectory(directory, names.sort());
}

/** Reads all that is in the directory. @throws what the disk says where it does not let it: SQLite's words for that are no help */
export async function refuseUnreadable(directory: string): Promise<void> {
  for (const name of await contentOf(directory)) {
    const path = join(directory, name);
    if ((await stat(path)).isFile()) await finished(createReadStream(path).resume());
  }
}

/** The format of the state in the directory; undefined where there is none, NaN where that is damaged. */
export async function formatOf(directory: string): Promise<number | undefined> {
  if (!(await contentOf(directory)).includes(MARKER)) return undefined;
  const marker = join(directory, MARKER);
  return (await stat(marker)).isFile() ? formatIn(await readFile(marker, 'utf8')) : Number.NaN;
}

/** Marks the directory as ours and its state as one of this version's format, durably and in one step. */
export async function writeMarker(directory: string): Promise<void> {
  const unready = join(directory, `.${MARKER}`);
  const marker = JSON.stringify({ format: FORMAT, program: 'edge-exporter' });
  await writeFile(unready, `${marker}\n`, { mode: 0o600, flush: true });
  await rename(unready, join(directory, MARKER));
  await syncDirectory(directory);
}

/** Makes the names in the directory survive a loss of power. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Moves the directory's content, deleting nothing, to a new directory beside it or, where that is another
 * file system or not ours to write, inside it. Returns the new place.
 */
export async function setAside(directory: string, now: number): Promise<string> {
  const name = SET_ASIDE + new Date(now).toISOString().replaceAll(':', '-');
  const beside = `${directory}.${name}`;
  try {
    await mkdir(beside, { mode: 0o700 });
  } catch (error) {
    if (!isOneOf(error, ['EACCES', 'EPERM', 'EROFS'])) throw error;
    return await moveContent(directory, join(directory, name));
  }
  try {
    return await moveContent(directory, beside);
  } catch (error) {
    if (!isOneOf(error, ['EXDEV'])) throw error;
    await rmdir(beside);
    return await moveContent(directory, join(directory, name));
  }
}

async function moveContent(directory: string, place: string): Promise<string> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  const names = await contentOf(directory);
  // The marker goes last: without it what a sudden end leaves behind would not be ours.
  const inOrder = [...names.filter((name) => name !== MARKER), ...names.filter((name) => name === MARKER)];
  for (const name of inOrder) await rename(join(directory, name), join(place, name));
  await syncDirectory(directory);
  return place;
}

/**
 * What counts as content: not the lock, not what was set aside, not what a file system or a desktop leaves in
 * every folder.
 */
async function contentOf(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter(
    (name) =>
      name !== LOCK_FILE && name !== 'lost+found' && !name.startsWith('.') && !name.startsWith(SET_ASIDE),
  );
}

function formatIn(marker: string): number {
  try {
    const { format } = JSON.parse(marker);
    return Number.isSafeInteger(format) && format > 0 ? format : Number.NaN;
  } catch {
    // Not JSON, or JSON null.
    return Number.NaN;
  }
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return codes.includes(codeOf(error));
}

/** The code of an error of the system or of SQLite; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Another running process uses the state directory; two of them would count every bucket twice. */
export class StateInUse extends Error {
  override readonly name = 'StateInUse';
  readonly directory: string;

  constructor(directory: string) {
    // SQLite says the same of both.
    super(
      `the state directory ${directory} is in use by another edge-exporter, or its file system locks no files`,
    );
    this.directory = directory;
  }
}
