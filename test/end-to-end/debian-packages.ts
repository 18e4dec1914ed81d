import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'debian');

/** Where a program of an unpacked package is, whether or not it is unpacked. */
export function unpackedBinary(debianPackage: string, program: string): string {
  return join(CACHE, debianPackage, 'usr', 'bin', program);
}

/**
 * Debian's Alertmanager reads its default template, without which it does not start, from a folder that is compiled
 * in and that only an installation fills. The unpacked copy is made to look in its working folder instead.
 */
const COMPILED_IN_FOLDERS: Readonly<Record<string, { readonly program: string; readonly folder: string }>> = {
  'prometheus-alertmanager': {
    program: 'prometheus-alertmanager',
    folder: '/usr/share/prometheus/alertmanager',
  },
};

/** The working folder that an unpacked program needs; undefined if it is not unpacked or needs none. */
export function workingFolder(debianPackage: string): string | undefined {
  const path = join(CACHE, debianPackage, COMPILED_IN_FOLDERS[debianPackage]?.folder ?? 'nowhere');
  return existsSync(path) ? path : undefined;
}

/**
 * Unpacks a Debian package into the cache, once. Nothing of the system changes: there is no installation, and where
 * the system's package lists are missing or old, apt gets lists of its own. Any number of processes may ask at
 * once, since the folder appears whole, by a rename; its VERSION file names what it holds.
 * @throws when there is no apt, or it does not have the package
 */
export async function unpackDebianPackage(debianPackage: string): Promise<void> {
  const home = join(CACHE, debianPackage);
  if (existsSync(home)) return;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, '.unpacking-'));
  try {
    const archive = await download(debianPackage, work);
    const unpacked = join(work, 'unpacked');
    await run('dpkg', ['-x', join(work, archive), unpacked]);
    await lookInWorkingFolder(debianPackage, unpacked);
    await writeFile(join(unpacked, 'VERSION'), `${archive}\n`);
    await renameUnlessThere(unpacked, home);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The file name of the downloaded archive, which contains the version. */
async function download(debianPackage: string, folder: string): Promise<string> {
  const get = async (options: readonly string[]) => {
    await run('apt-get', [...options, 'download', debianPackage], { cwd: folder });
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get download ${debianPackage} left no archive`);
    return archive;
  };
  const retries = ['-o', 'Acquire::Retries=3'];
  try {
    return await get(retries);
  } catch {
    const ownLists = [...retries, ...(await ownAptFolders(join(folder, 'apt')))];
    await run('apt-get', [...ownLists, 'update'], { cwd: folder });
    return await get(ownLists);
  }
}

/** apt's options for lists and caches in a folder, which an ordinary user can write too. */
async function ownAptFolders(folder: string): Promise<string[]> {
  const [lists, cache] = [join(folder, 'lists'), join(folder, 'cache')];
  await Promise.all([lists, cache].map((path) => mkdir(join(path, 'partial'), { recursive: true })));
  const status = join(folder, 'status');
  await copyFile('/var/lib/dpkg/status', status);
  const options = {
    'Dir::State': folder,
    'Dir::State::lists': lists,
    'Dir::State::status': status,
    'Dir::Cache': cache,
    // As root, apt would read as another user, to whom this folder may be closed.
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function lookInWorkingFolder(debianPackage: string, unpacked: string): Promise<void> {
  const compiledIn = COMPILED_IN_FOLDERS[debianPackage];
  if (compiledIn === undefined) return;
  const { program, folder } = compiledIn;
  const path = join(unpacked, 'usr', 'bin', program);
  const code = await readFile(path);
  // A text of the same length, since nothing in a program may move.
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
