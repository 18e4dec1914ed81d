import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILED_SOURCES, compiledSources } from './test/compiled-sources.ts';
import { SlowestFirst } from './test/slowest-first.ts';
import { UnhandledErrors } from './test/unhandled-errors.ts';

const END_TO_END = [
  'test/end-to-end/**/*.test.ts',
  'test/rules/shipped/**/*.test.ts',
  'test/**/*.browser.test.ts',
];
const SIMULATION = ['test/simulation/**/*.test.ts'];

/** The files that `.ci/run` leaves out, by their paths; anybody else runs all. */
const LEFT_OUT = (process.env['LEFT_OUT_TESTS'] ?? '').split(',').filter((path) => path !== '');

/** Where `.ci/run` reads how the tests ended. */
const REPORT = process.env['TEST_REPORT'] ?? '.cache/test-report.json';

/** The projects that were asked for by `--project`. */
const ASKED = process.argv.flatMap((argument, index, all) => {
  if (argument === '--project') return all[index + 1] ?? [];
  return argument.startsWith('--project=') ? argument.slice('--project='.length) : [];
});

/** Whoever looks for a fault wants it by its line in TypeScript, and a watched file compiled anew. */
const IS_CI = process.env['CI'] === 'true';

export default defineConfig({
  plugins: IS_CI ? [compiledSources()] : [],
  test: {
    server: { deps: { external: [COMPILED_SOURCES] } },
    // A test that hangs ends; none ends by the clock because its machine is busy: no test has a limit of its own.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // Vitest's own limit is a second, which a busy browser may need for a page.
    expect: { poll: { timeout: 600_000 } },
    // End-to-end tests, which come first, wait for other processes most of the time: three more than there are cores leave
    // none of them idle. Those of `unit` wait for nothing, and each process imports and optimizes all of the program anew.
    maxWorkers: availableParallelism() + (ASKED.join() === 'unit' ? 0 : 3),
    sequence: { sequencer: SlowestFirst },
    // Files share processes: to start one for each, with all that it imports, takes a quarter of the whole.
    isolate: false,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: REPORT }], new UnhandledErrors(`${REPORT}.unhandled`)]
      : ['default'],
    projects: [
      {
        extends: true,
        // Needs nothing but Node.js, and waits for nothing.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...END_TO_END, ...SIMULATION, ...LEFT_OUT],
        },
      },
      {
        extends: true,
        // Hours and weeks in simulated time: how long that takes depends on the machine, and decides nothing.
        test: {
          name: 'simulation',
          include: SIMULATION,
          exclude: LEFT_OUT,
          testTimeout: 0,
          hookTimeout: 0,
        },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          // The rules are tested by promtool and Alertmanager, which are obtained in the same way; the page by Chromium.
          include: END_TO_END,
          exclude: LEFT_OUT,
          // Obtains Prometheus and its kind; a run of the other tests alone needs none of them.
          globalSetup: 'test/end-to-end/global-setup.ts',
        },
      },
    ],
  },
});
