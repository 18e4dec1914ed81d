import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { COMPILED_SOURCES, compiledSources } from './test/compiled-sources.ts';
import { SlowestFirst } from './test/slowest-first.ts';
import { UnhandledErrors } from './test/unhandled-errors.ts';

/** Tests with real components: Prometheus, promtool, Alertmanager, databases, Chromium. */
const REAL = ['test/end-to-end/**/*.test.ts', 'test/rules/shipped/**/*.test.ts', 'test/**/*.browser.test.ts'];
const SIMULATION = ['test/simulation/**/*.test.ts'];
const ALL = ['test/**/*.test.ts'];
const OBTAINS_COMPONENTS = 'test/end-to-end/global-setup.ts';

/** File for the results of a suite (test/suite.mjs). */
const REPORT = process.env['TEST_REPORT'];

/** Projects of `--project`. */
const ASKED = process.argv.flatMap((argument, index, all) => {
  if (argument === '--project') return all[index + 1] ?? [];
  return argument.startsWith('--project=') ? argument.slice('--project='.length) : [];
});

/** Projects that wait most of the time. */
const WAITING = ['real', 'long'];

/** Outside CI, stack traces name lines of TypeScript, and watched files are compiled again. */
const IS_CI = process.env['CI'] === 'true';

/** Tests that need only Node.js and wait for nothing. */
const UNIT: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'unit', include: ALL, exclude: [...REAL, ...SIMULATION] },
};

/** Hours and days in simulated time. Their duration depends on the machine, so they have no limit. */
const SIMULATIONS: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'simulation', include: SIMULATION, testTimeout: 0, hookTimeout: 0 },
};

/** Tests with real components, which their setup obtains. */
const WITH_REAL_COMPONENTS: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'real', include: REAL, globalSetup: OBTAINS_COMPONENTS },
};

/** All tests, with every scenario at its full length. It repeats the other projects, so it runs alone. */
const LONG: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'long',
    include: ALL,
    env: { TEST_SUITE: 'long' },
    globalSetup: OBTAINS_COMPONENTS,
    testTimeout: 0,
    hookTimeout: 0,
  },
};

export default defineConfig({
  plugins: IS_CI ? [compiledSources()] : [],
  test: {
    server: { deps: { external: [COMPILED_SOURCES] } },
    // Only a test that hangs meets this limit. No test has its own.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // Vitest's default is a second, which a busy browser may need for a page.
    expect: { poll: { timeout: 600_000 } },
    // Tests with real components wait for other processes most of the time, so three more than cores keep all cores busy.
    // The others wait for nothing, and each worker imports the whole program.
    maxWorkers: availableParallelism() + (ASKED.some((name) => WAITING.includes(name)) ? 3 : 0),
    sequence: { sequencer: SlowestFirst },
    // Files share processes: a process for each file would add a quarter to the time.
    isolate: false,
    reporters:
      REPORT === undefined
        ? ['default']
        : ['default', ['json', { outputFile: REPORT }], new UnhandledErrors(`${REPORT}.unhandled`)],
    projects: ASKED.includes('long') ? [LONG] : [UNIT, SIMULATIONS, WITH_REAL_COMPONENTS],
  },
});
