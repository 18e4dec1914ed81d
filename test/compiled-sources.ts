import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src/');
const COMPILED = join(ROOT, '.cache/compiled/src/');

const COMPILED_BY = 'TESTED_SOURCES_COMPILED_BY';

/**
 * Returns a plugin that makes the tests import `src` as JavaScript that is compiled once. Vitest would
 * compile it for each project and look up each imported name at run time, which costs a simulation a third
 * more CPU time. Stack traces then refer to the JavaScript.
 */
export async function compiledSources(): Promise<Plugin> {
  // Vitest reads its configuration again for each project.
  if (process.env[COMPILED_BY] !== `${process.pid}`) await compileSources();
  process.env[COMPILED_BY] = `${process.pid}`;
  return {
    name: 'compiled sources',
    enforce: 'pre',
    resolveId(id, importer) {
      if (importer === undefined || !/^\..*\.[jt]s$/.test(id)) return null;
      const path = resolve(dirname(importer), id);
      return path.startsWith(SOURCES) ? `${COMPILED}${nameOf(path.slice(SOURCES.length))}.js` : null;
    },
  };
}

/** Paths of modules that Vitest leaves to Node.js. */
export const COMPILED_SOURCES = /\/\.cache\/compiled\/src\//;

async function compileSources(): Promise<void> {
  rmSync(COMPILED, { recursive: true, force: true });
  mkdirSync(COMPILED, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(COMPILED, '../package.json'));
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.[jt]s$/.test(name),
  );
  const build = await rolldown({
    input: Object.fromEntries(files.map((name) => [nameOf(name), join(SOURCES, name)])),
    platform: 'node',
    // Excludes whole packages, except for the functions that the compiler itself calls.
    external: /^(?!@oxc-project\/runtime\/)[@a-z]/,
    treeshake: false,
  });
  await build.write({
    dir: COMPILED,
    preserveModules: true,
    preserveModulesRoot: SOURCES,
    entryFileNames: '[name].js',
  });
  await build.close();
}

function nameOf(file: string): string {
  return file.replace(/\.[jt]s$/, '');
}
