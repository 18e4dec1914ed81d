import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 120_000,
    // Some tests only wait for other processes: that must not leave a core idle.
    maxWorkers: '100%',
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: '.cache/test-report.json' }]]
      : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/end-to-end/**', 'test/rules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          // The rules are tested by promtool and Alertmanager, which are obtained in the same way.
          include: ['test/end-to-end/**/*.test.ts', 'test/rules/**/*.test.ts'],
          // Obtains Prometheus and its kind; a run of unit tests alone needs none of them.
          globalSetup: 'test/end-to-end/global-setup.ts',
          testTimeout: 120_000,
        },
      },
    ],
  },
});
