import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackages } from './debian-packages.ts';
import { provideAll } from './provided-tools.ts';
import { POSTGRES_PACKAGES } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs once before the end-to-end tests. If a component is missing, it fails with one line. */
export default async function setup(): Promise<void> {
  // Tests that need the others report it if they are missing.
  const others = unpackDebianPackages([...POSTGRES_PACKAGES, 'zsh']).catch(() => undefined);
  await provideAll();
  await others;
  buildIfStale();
}

function buildIfStale(): void {
  const stale = () => lastChange('dist') < lastChange('src');
  if (!stale()) return;
  // Checks no types, which cannot fail here.
  spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (stale()) throw new Error('dist/ is older than src/: npm run build');
}

function lastChange(folder: string): number {
  const path = join(ROOT, folder);
  if (!existsSync(path)) return 0;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}
