import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackages } from './debian-packages.ts';
import { provideAll } from './provided-tools.ts';
import { POSTGRES_PACKAGES } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Prepares the end-to-end tests once. Fails with one line if a component is missing. */
export default async function setup(): Promise<void> {
  // Tests that need these other packages report a missing one themselves.
  const others = unpackDebianPackages([...POSTGRES_PACKAGES, 'zsh']).catch(() => undefined);
  await provideAll();
  await others;
  buildIfStale();
}

function buildIfStale(): void {
  const stale = () => lastChange('dist') < lastChange('src');
  if (!stale()) return;
  // The build does not check types, because other checks do.
  spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (stale()) throw new Error('dist/ is older than src/: npm run build');
}

function lastChange(folder: string): number {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return 0;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}
