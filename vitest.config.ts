import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { COMPILED_SOURCES, compiledSources } from './test/compiled-sources.ts';
import { SlowestFirst } from './test/slowest-first.ts';
import { UnhandledErrors } from './test/unhandled-errors.ts';

/** What runs real components: Prometheus and its kind, of which promtool and Alertmanager test the rules, and Chromium the page. */
const REAL = ['test/end-to-end/**/*.test.ts', 'test/rules/shipped/**/*.test.ts', 'test/**/*.browser.test.ts'];
const SIMULATION = ['test/simulation/**/*.test.ts'];
const ALL = ['test/**/*.test.ts'];
const OBTAINS_COMPONENTS = 'test/end-to-end/global-setup.ts';

/** Where a suite (test/suite.mjs) writes how its tests ended. */
const REPORT = process.env['TEST_REPORT'];

/** The projects that were asked for by `--project`. */
const ASKED = process.argv.flatMap((argument, index, all) => {
  if (argument === '--project') return all[index + 1] ?? [];
  return argument.startsWith('--project=') ? argument.slice('--project='.length) : [];
});

/** The projects that wait most of the time. */
const WAITING = ['real', 'long'];

/** Whoever looks for a fault wants it by its line in TypeScript, and a watched file compiled anew. */
const IS_CI = process.env['CI'] === 'true';

/** Needs nothing but Node.js, and waits for nothing. */
const UNIT: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'unit', include: ALL, exclude: [...REAL, ...SIMULATION] },
};

/** Hours and days in simulated time: how long that takes depends on the machine, and decides nothing. */
const SIMULATIONS: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'simulation', include: SIMULATION, testTimeout: 0, hookTimeout: 0 },
};

/** Obtains the components. */
const WITH_REAL_COMPONENTS: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'real', include: REAL, globalSetup: OBTAINS_COMPONENTS },
};

/** Has every test, and every story at its full length. Nobody asks for it beside the others, which it repeats. */
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
    // A test that hangs ends; none ends by the clock because its machine is busy: no test has a limit of its own.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // Vitest's own limit is a second, which a busy browser may need for a page.
    expect: { poll: { timeout: 600_000 } },
    // Tests with real components wait for other processes most of the time: three more than there are cores leave none of them
    // idle. The others wait for nothing, and each process imports and optimizes all of the program anew.
    maxWorkers: availableParallelism() + (ASKED.some((name) => WAITING.includes(name)) ? 3 : 0),
    sequence: { sequencer: SlowestFirst },
    // Files share processes: to start one for each, with all that it imports, takes a quarter of the whole.
    isolate: false,
    reporters:
      REPORT === undefined
        ? ['default']
        : ['default', ['json', { outputFile: REPORT }], new UnhandledErrors(`${REPORT}.unhandled`)],
    projects: ASKED.includes('long') ? [LONG] : [UNIT, SIMULATIONS, WITH_REAL_COMPONENTS],
  },
});
