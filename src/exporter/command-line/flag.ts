import type { FlagValue } from './flag-values.ts';

export type CommandName =
  | 'serve'
  | 'check-config'
  | 'plan'
  | 'doctor'
  | 'backfill'
  | 'rules'
  | 'rehearse'
  | 'sandbox'
  | 'state-copy';

/** A flag of the command line. */
export interface Flag {
  readonly value: FlagValue<unknown>;
  /** As it would be written; a flag without a default is undefined unless it is given. */
  readonly default?: string;
  readonly about: string;
  /** The commands that take it. */
  readonly commands: readonly CommandName[];
  /** The words that a command takes, where it does not take all. */
  readonly words?: Readonly<Partial<Record<CommandName, readonly string[]>>>;
}

/** Commands that read the configuration. */
export const CONFIGURED = ['serve', 'check-config', 'plan', 'doctor', 'backfill', 'rehearse'] as const;
/** Commands that write a log. */
export const LOGGED = [
  'serve',
  'check-config',
  'plan',
  'doctor',
  'backfill',
  'rules',
  'rehearse',
  'sandbox',
  'state-copy',
] as const;
