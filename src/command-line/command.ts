import type { Environment } from '../configuration/interpolation.ts';
import type { Logging } from '../logging/log.ts';
import type { Output } from '../output.ts';
import type { CommandName, FlagsOf } from './flags.ts';

/** What the process ends with. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command line or the configuration is wrong. */
  misused: 2,
  /** The plan does not fit into the quota. */
  overQuota: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One call of a command. */
export interface Invocation<Name extends CommandName> {
  /** The values of the command's flags: given, from the environment, or by default. */
  readonly flags: FlagsOf<Name>;
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  readonly logging: Logging;
}

/** Runs until it is done or the signal aborts. It rejects only when the program itself is wrong. */
export type Command<Name extends CommandName> = (invocation: Invocation<Name>) => Promise<ExitCode>;
