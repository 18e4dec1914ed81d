#!/usr/bin/env node
// Runs a suite of tests, and names the suites that it does not run. Further arguments are for Vitest:
//   node test/suite.mjs real test/end-to-end/alerting.test.ts
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const SUITES = {
  quick: {
    command: 'npm test',
    projects: ['unit', 'simulation'],
    holds: 'unit tests and simulations, which need only Node.js',
  },
  real: {
    command: 'npm run test:real',
    projects: ['real'],
    holds: 'tests with Prometheus, Alertmanager, PostgreSQL, Chromium and other real components',
  },
  long: {
    command: 'npm run test:long',
    projects: ['long'],
    holds: 'all tests at full length, as in the nightly run',
  },
};

const ROOT = join(import.meta.dirname, '..');

/**
 * Returns a line with the command for each other suite.
 * @param {string} name
 */
export function notRunBy(name) {
  const others = Object.entries(SUITES).filter(([other]) => other !== name);
  return others.map(([, { command, holds }]) => `not run: ${command} (${holds})`);
}

/**
 * Runs a suite, and prints the suites that it does not run. Returns the exit status.
 * @param {string} name
 * @param {readonly string[]} more
 */
function run(name, more) {
  const { projects } = SUITES[name];
  const args = ['run', ...projects.flatMap((project) => ['--project', project]), ...more];
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true', TEST_REPORT: process.env.TEST_REPORT ?? `.cache/${name}-tests.json` },
  });
  for (const line of notRunBy(name)) console.log(line);
  return status ?? 1;
}

if (process.argv[1] === import.meta.filename) {
  const [name = '', ...more] = process.argv.slice(2);
  if (!(name in SUITES)) throw new Error(`suites are ${Object.keys(SUITES).join(', ')}`);
  process.exitCode = run(name, more);
}
