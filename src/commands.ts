import type { Commands } from './exporter/command-line/command.ts';

/** Every command of this build. */
export const COMMANDS: Commands = {
  serve: {
    summary: 'Poll the platform and serve its metrics to Prometheus (the default).',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  'check-config': {
    summary: 'Check the configuration: summarise it, or list every mistake.',
    load: async () => (await import('./commands/check-config.ts')).checkConfig,
  },
  plan: {
    summary: 'Show what the configuration costs, whether it fits the quota, and what would make it fit.',
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  doctor: {
    summary: 'Check each account step by step: what is missing, and which metrics will be absent.',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  sandbox: {
    summary: 'Run the embedded platform for tests and demonstrations.',
    load: async () => (await import('./commands/sandbox.ts')).sandbox,
  },
  rules: {
    summary: 'Write the recording and alert rules for Prometheus, with thresholds of your own.',
    load: async () => (await import('./commands/rules.ts')).rules,
  },
  rehearse: {
    summary: 'Show which alerts would have fired on your own history, and what other thresholds change.',
    load: async () => (await import('./commands/rehearse.ts')).rehearse,
  },
  'state-copy': {
    summary: 'Copy counters and what was learned from a directory to a database, or back.',
    load: async () => (await import('./commands/state-copy.ts')).stateCopy,
  },
  backfill: {
    summary: 'Write the history of the platform as OpenMetrics, to import into Prometheus.',
    load: async () => (await import('./commands/backfill.ts')).backfill,
  },
};
