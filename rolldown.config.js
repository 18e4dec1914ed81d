import { defineConfig } from 'rolldown';

/**
 * Makes `dist` of `src` and of the packages that it uses: a start that opens 40 files rather than 450 takes half the CPU, and
 * 10 MB less. What is built for machines is loaded from its own package.
 */
export default defineConfig({
  input: { main: 'src/main.ts', 'database-thread': 'src/exporter/state/database-thread.js' },
  platform: 'node',
  external: ['libsql', '@node-rs/bcrypt', 'msgpackr-extract', 'pg-native'],
  output: { dir: 'dist', cleanDir: true, comments: { legal: true, annotation: false, jsdoc: false } },
});
