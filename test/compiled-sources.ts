import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src/');
const COMPILED = join(ROOT, '.cache/compiled/src/');

const COMPILED_BY = 'TESTED_SOURCES_COMPILED_BY';

/**
 * Has the tests import `src` as it is compiled once, a module to a file, which Node.js loads by itself. Vitest would compile it for
 * each project, hand it to each process as text, and have every name that is imported looked up in an object whenever it is used:
 * a simulation takes a third more CPU time then. Stack traces name the JavaScript.
 */
export async function compiledSources(): Promise<Plugin> {
  // Vitest reads its configuration once more for each project.
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

/** The modules that Vitest is to leave to Node.js. */
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
    // Whole packages, but for the functions that the compiler itself calls.
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
