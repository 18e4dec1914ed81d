import type { Commands } from './command-line/command.ts';

/** Every command of this build. */
export const COMMANDS: Commands = {
  serve: {
    summary: 'Poll the platform and serve what it says to Prometheus (the default).',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  'check-config': {
    summary: 'Check the configuration and summarise it, or list every mistake in it.',
    load: async () => (await import('./commands/check-config.ts')).checkConfig,
  },
  plan: {
    summary: 'Tell what the configuration asks of the quota, and what would have to give.',
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  doctor: {
    summary: 'Check each account step by step, and say what is missing and what will be absent.',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  sandbox: {
    summary: 'Run the embedded platform, to rehearse against.',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  rules: {
    summary: 'Write the recording and alert rules for Prometheus, with thresholds of your own.',
    load: async () => (await import('./commands/rules.ts')).rules,
  },
  backfill: {
    summary: 'Write the history of the platform as OpenMetrics, to make blocks for Prometheus from.',
    load: async () => (await import('./commands/backfill.ts')).backfill,
  },
};
