import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { downloadPackages } from './apt.ts';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'debian');

function homeOf(debianPackage: string): string {
  return join(CACHE, debianPackage.replace('/', '@'));
}

/** Returns the folder of an unpacked package, even if it does not exist. */
export function unpackedFolder(debianPackage: string): string {
  return homeOf(debianPackage);
}

/** Returns the path of a program of an unpacked package, even if it does not exist. */
export function unpackedBinary(debianPackage: string, program: string): string {
  return join(homeOf(debianPackage), 'usr', 'bin', program);
}

/**
 * Programs with a compiled-in folder. Debian's Alertmanager reads its default template from a folder that
 * only an installation creates, and does not start without it. In the unpacked copy, a relative path replaces
 * the folder's path.
 */
const COMPILED_IN_FOLDERS: Readonly<Record<string, { readonly program: string; readonly folder: string }>> = {
  'prometheus-alertmanager': {
    program: 'prometheus-alertmanager',
    folder: '/usr/share/prometheus/alertmanager',
  },
};

/**
 * Returns the working folder that an unpacked program needs; undefined if it needs none or is not unpacked.
 */
export function workingFolder(debianPackage: string): string | undefined {
  const path = join(homeOf(debianPackage), COMPILED_IN_FOLDERS[debianPackage]?.folder ?? 'nowhere');
  return existsSync(path) ? path : undefined;
}

/**
 * Unpacks missing Debian packages into the cache. Installs nothing, and uses its own package lists if the
 * system's lists are missing or old. Several processes may call it, because a rename creates each folder as a
 * whole. The file VERSION in each folder names the content.
 * @throws if apt is missing, or lacks a package
 */
export async function unpackDebianPackages(debianPackages: readonly string[]): Promise<void> {
  const missing = debianPackages.filter((debianPackage) => !existsSync(homeOf(debianPackage)));
  const releases = new Set(missing.map(releaseOf));
  const ends = await Promise.allSettled(
    [...releases].map((release) =>
      unpackOf(
        release,
        missing.filter((each) => releaseOf(each) === release),
      ),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

function releaseOf(debianPackage: string): string | undefined {
  return debianPackage.split('/')[1];
}

async function unpackOf(release: string | undefined, debianPackages: readonly string[]): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, '.unpacking-'));
  try {
    const names = debianPackages.map((debianPackage) => debianPackage.replace(/\/.*/, ''));
    const archives = await downloadPackages(names, release, work);
    for (const [index, debianPackage] of debianPackages.entries()) {
      const archive = archives[index] ?? '';
      const unpacked = join(work, 'unpacked', archive);
      await mkdir(unpacked, { recursive: true });
      await run('dpkg', ['-x', join(work, archive), unpacked]);
      await lookInWorkingFolder(debianPackage, unpacked);
      await writeFile(join(unpacked, 'VERSION'), `${archive}\n`);
      await renameUnlessThere(unpacked, homeOf(debianPackage));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function lookInWorkingFolder(debianPackage: string, unpacked: string): Promise<void> {
  const compiledIn = COMPILED_IN_FOLDERS[debianPackage];
  if (compiledIn === undefined) return;
  const { program, folder } = compiledIn;
  const path = join(unpacked, 'usr', 'bin', program);
  const code = await readFile(path);
  // The replacement has the same length, because nothing in a program may move.
  const here = './'.repeat(folder.length).slice(0, folder.length);
  for (let at = code.indexOf(folder); at >= 0; at = code.indexOf(folder, at)) code.write(here, at, 'latin1');
  await writeFile(path, code);
  await chmod(path, 0o755);
}

async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
