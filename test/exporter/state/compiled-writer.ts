import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Compiles a writer for a separate process, which needs JavaScript. The output is inside the project, where
 * it finds the packages.
 */
export async function compileWriter(
  name: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = resolve('node_modules/.cache', `${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const options = '--ignoreConfig --rootDir . --target es2023 --module nodenext --types node --skipLibCheck';
  const rewrite = '--allowJs --allowImportingTsExtensions --rewriteRelativeImportExtensions';
  const sources = [`test/exporter/state/${name}.ts`, 'src/exporter/state/database-thread.js'];
  execFileSync(resolve('node_modules/.bin/tsc'), [
    ...sources,
    ...`${options} ${rewrite}`.split(' '),
    '--outDir',
    folder,
  ]);
  return {
    path: join(folder, `test/exporter/state/${name}.js`),
    remove: () => rm(folder, { recursive: true }),
  };
}
