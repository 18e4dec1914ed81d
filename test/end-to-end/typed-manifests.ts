import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runToEnd } from './child-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = join(ROOT, '.cache');
// The package's `exports` omit its main file but include its package.json.
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

/** Kubernetes object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/**
 * Returns the compiler's errors for manifests, checked against Kubernetes' own API types. It also finds
 * unknown keys, because manifests are checked as literals.
 */
export async function typeMistakes(manifests: readonly Manifest[]): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'manifests-'));
  try {
    const lines = manifests.flatMap(({ apiVersion, kind, ...rest }, index) => {
      const operator = apiVersion.startsWith('monitoring.coreos.com/');
      const from = operator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
      const object = JSON.stringify({ apiVersion, kind, ...rest });
      return [
        `import type { I${kind} as T${index} } from '${from}/${apiVersion}';`,
        `export const manifest${index}: T${index} = ${object};`,
      ];
    });
    const file = join(folder, 'manifests.ts');
    await writeFile(file, `${lines.join('\n')}\n`);
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    const { stdout, stderr } = await runToEnd({
      path: process.execPath,
      args: [TSC, ...flags, '--types', '', file],
      cwd: ROOT,
    });
    return (stdout + stderr).replaceAll(folder, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
