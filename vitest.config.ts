import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/slowest-first.ts';

const END_TO_END = ['test/end-to-end/**/*.test.ts', 'test/rules/**/*.test.ts', 'test/**/*.browser.test.ts'];
const SIMULATION = ['test/simulation/**/*.test.ts'];

/** The projects that were asked for by `--project`. */
const ASKED = process.argv.flatMap((argument, index, all) => {
  if (argument === '--project') return all[index + 1] ?? [];
  return argument.startsWith('--project=') ? argument.slice('--project='.length) : [];
});

export default defineConfig({
  test: {
    // A test that hangs ends; one that a busy machine makes wait does not.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Vitest's own limit is a second, which a busy browser may need for a page.
    expect: { poll: { timeout: 100_000 } },
    // Many end-to-end tests wait for other processes: two more than there are cores leave none of them idle. Those of
    // `unit` wait for nothing, and each process imports and optimizes all of the program anew.
    maxWorkers: availableParallelism() + (ASKED.join() === 'unit' ? 0 : 2),
    sequence: { sequencer: SlowestFirst },
    // Files share processes: to start one for each, with all that it imports, takes a quarter of the whole.
    isolate: false,
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: '.cache/test-report.json' }]]
      : ['default'],
    projects: [
      {
        extends: true,
        // Needs nothing but Node.js, and waits for nothing.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...END_TO_END, ...SIMULATION],
        },
      },
      {
        extends: true,
        // Hours and weeks in simulated time: how long that takes depends on the machine, and decides nothing.
        test: { name: 'simulation', include: SIMULATION, testTimeout: 0, hookTimeout: 0 },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          // The rules are tested by promtool and Alertmanager, which are obtained in the same way; the page by Chromium.
          include: END_TO_END,
          // Obtains Prometheus and its kind; a run of the other tests alone needs none of them.
          globalSetup: 'test/end-to-end/global-setup.ts',
        },
      },
    ],
  },
});
