import type { Command, CommandName } from './command-line/command.ts';

/** A command in the help, and how its code is loaded: only when it is called, so that each starts fast. */
export interface CommandEntry<Name extends CommandName> {
  readonly summary: string;
  readonly load: () => Promise<Command<Name>>;
}

export type Commands = { readonly [Name in CommandName]?: CommandEntry<Name> };

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
};
