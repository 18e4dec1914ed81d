import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const RETRIES = ['-o', 'Acquire::Retries=3'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Downloads a Debian package, of this system's release (`prometheus`) or of another (`prometheus/testing`), without
 * changing anything of the system.
 * @returns the file name of the archive in the folder, which contains the version
 * @throws when there is no apt, or it does not have the package
 */
export async function downloadPackage(debianPackage: string, folder: string): Promise<string> {
  const [name = '', release] = debianPackage.split('/');
  const get = async (options: readonly string[]) => {
    await run('apt-get', [...options, 'download', name], { cwd: folder });
    const archive = (await readdir(folder)).find((file) => file.endsWith('.deb'));
    if (archive === undefined) throw new Error(`apt-get download ${debianPackage} left no archive`);
    return archive;
  };
  const getByOwnLists = async () => {
    const ownLists = [...RETRIES, ...(await ownAptFolders(join(folder, 'apt'), release))];
    await run('apt-get', [...ownLists, 'update'], { cwd: folder });
    return await get(ownLists);
  };
  if (release !== undefined) return await getByOwnLists();
  try {
    return await get(RETRIES);
  } catch {
    return await getByOwnLists();
  }
}

/** apt's options for lists and caches in a folder, which an ordinary user can write too. */
async function ownAptFolders(folder: string, release: string | undefined): Promise<string[]> {
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
    ...(release === undefined ? {} : await sourcesOf(release, folder)),
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** apt's options for packages of another release, from the mirror that the system uses. */
async function sourcesOf(release: string, folder: string): Promise<Record<string, string>> {
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
  ]);
  const [mirror] = stdout.split('\n').filter((uri) => uri.replace(/\/$/, '').endsWith('/debian'));
  if (mirror === undefined) throw new Error('apt has no mirror of Debian');
  const sources = join(folder, 'sources.list');
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${mirror} ${release} main\n`);
  return { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '/dev/null' };
}
