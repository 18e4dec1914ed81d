import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackage } from './debian-packages.ts';
import { unpackNpmBinaries } from './npm-binaries.ts';
import { DEBIAN_PACKAGES, findTool, howToGet, NPM_TOOLS, toolsOf } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs once before the end-to-end tests: what they run as processes must be there, or they fail with one line. */
export default async function setup(): Promise<void> {
  await Promise.all([...DEBIAN_PACKAGES.map(provide), provideFromNpm()]);
  buildIfStale();
}

async function provideFromNpm(): Promise<void> {
  const missing = () => NPM_TOOLS.filter((tool) => findTool(tool) === undefined);
  if (missing().length === 0) return;
  const failure = await unpackNpmBinaries().catch((error: Error) => error);
  if (missing().length === 0) return;
  throw new Error(
    `${missing()
      .map((tool) => howToGet(tool))
      .join('; ')}${failure ? ` (${failure.message.trim()})` : ''}`,
    {
      cause: failure,
    },
  );
}

async function provide(debianPackage: string): Promise<void> {
  const missing = () => toolsOf(debianPackage).filter((tool) => findTool(tool) === undefined);
  if (missing().length === 0) return;
  const failure = await unpackDebianPackage(debianPackage).catch((error: Error) => error);
  if (missing().length === 0) return;
  const tried = failure
    ? ` (Debian's package ${debianPackage} could not be had: ${failure.message.trim()})`
    : '';
  throw new Error(
    `${missing()
      .map((tool) => howToGet(tool))
      .join('; ')}${tried}`,
    { cause: failure },
  );
}

/** `npm test` has built and checked types already; this is for a single test file after a change. */
function buildIfStale(): void {
  const stale = () => lastChange('dist') < lastChange('src');
  if (!stale()) return;
  // It checks no types, which is not what fails here.
  spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (stale()) throw new Error('dist/ is older than src/: npm run build');
}

function lastChange(folder: string): number {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return 0;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}
