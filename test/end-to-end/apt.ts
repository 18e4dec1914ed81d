import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const RETRIES = ['-o', 'Acquire::Retries=3'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Downloads Debian packages of this system's release, or of another such as `testing`. Changes nothing of the
 * system. One call for all packages saves two seconds of CPU for each.
 * @returns names of the archives in the folder, with their versions
 * @throws if apt is missing, or lacks a package
 */
export async function downloadPackages(
  names: readonly string[],
  release: string | undefined,
  folder: string,
): Promise<readonly string[]> {
  const get = (options: readonly string[]) =>
    run('apt-get', [...options, 'download', ...names], { cwd: folder });
  const getByOwnLists = async () => {
    const ownLists = [...RETRIES, ...(await ownAptFolders(join(folder, 'apt'), release))];
    await run('apt-get', [...ownLists, 'update'], { cwd: folder });
    await get(ownLists);
  };
  await (release === undefined ? get(RETRIES).catch(getByOwnLists) : getByOwnLists());
  const files = await readdir(folder);
  return names.map((name) => {
    const archive = files.find((file) => file.startsWith(`${name}_`));
    if (archive === undefined) throw new Error(`apt-get download ${name} left no archive`);
    return archive;
  });
}

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
    // Both the update and the download need the cache of the package lists, even if the system's apt disables
    // it.
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Dir::Cache::srcpkgcache': 'srcpkgcache.bin',
    'Acquire::Languages': 'none',
    // As root, apt would otherwise read as a user who may lack access to this folder.
    'APT::Sandbox::User': 'root',
    ...(release === undefined ? {} : await sourcesOf(release, folder)),
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function sourcesOf(release: string, folder: string): Promise<Record<string, string>> {
  const { stdout } = await run('apt-get', ['update', '--print-uris']);
  const [, mirror] = /^'(\S+\/debian)\/dists\//m.exec(stdout) ?? [];
  if (mirror === undefined) throw new Error('apt has no mirror of Debian');
  const sources = join(folder, 'sources.list');
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${mirror} ${release} main\n`);
  return { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '/dev/null' };
}
