import http from 'node:http';
import { defineConfig } from 'rolldown';

/** Native packages, which are loaded from node_modules if they are installed. */
export const NATIVE_PACKAGES = ['libsql', '@node-rs/bcrypt', 'msgpackr-extract', 'pg-native'];

/** Modules of packages that are loaded but never used: a tenth of all code that a start reads. */
const LEFT_OUT = [
  // HTTP/2, which is not offered to any platform.
  'undici/lib/dispatcher/client-h2.js',
  // Forms and streams as bodies of requests, and with them half of `fetch`.
  'undici/lib/web/fetch/body.js',
  // Traces, pushing and worker processes of prom-client.
  '@opentelemetry/api/dist/index.cjs',
  'prom-client/lib/pushgateway.js',
  'prom-client/lib/cluster.js',
  // Threads that write logs.
  'pino/lib/transport.js',
];

/** Replaces a module that is left out. */
const NOTHING = `module.exports = () => { throw new Error('this is left out of the bundle'); };`;

/**
 * Exports of `node:http`, without an import: from Node.js 22 on an import reads every export, one of which loads `fetch` and
 * HTTP/2 (4 MB).
 */
const HTTP_EXPORTS = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { value }]) =>
  value === undefined ? [] : [name],
);
const HTTP = `export const { ${HTTP_EXPORTS.join(', ')} } = process.getBuiltinModule('node:http');`;

/**
 * Bundles `src` and its packages into `dist`. A start that opens dozens of files instead of hundreds takes a third less CPU and
 * 10 MB less memory. The output is ASCII, because V8 keeps a file with any other character in twice the memory. Files of earlier
 * builds stay, because a running process may still load them.
 */
export default defineConfig({
  input: { main: 'src/main.ts', 'database-thread': 'src/exporter/state/database-thread.js' },
  platform: 'node',
  external: NATIVE_PACKAGES,
  plugins: [
    {
      name: 'left out',
      load: {
        filter: { id: LEFT_OUT.map((path) => new RegExp(`/node_modules/${path}$`)) },
        handler: () => NOTHING,
      },
    },
    {
      name: 'node:http without its export of all of fetch',
      resolveId: {
        filter: { id: /^node:http$/ },
        handler: (id, importer) => (importer?.includes('/node_modules/') ? null : `\0${id}`),
      },
      load: { filter: { id: /^\0node:http$/ }, handler: () => HTTP },
    },
  ],
  output: { dir: 'dist', charset: 'ascii', comments: { legal: true, annotation: false, jsdoc: false } },
});
