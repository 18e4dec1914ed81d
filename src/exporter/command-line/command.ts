import type { Environment } from '../configuration/environment.ts';
import type { Logging } from '../logging/log.ts';
import type { Output } from '../text/output.ts';
import type { CommandName, FlagsOf } from './flags.ts';

/** Exit codes of the process. */
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
  readonly flags: FlagsOf<Name>;
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Writes an error or a warning to stderr as a line of its own. */
  readonly complain: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
  /** Registers a handler of SIGHUP. Calls it at once if a signal has arrived already. */
  readonly onReload: (listener: () => void) => void;
  readonly logging: Logging;
}

/** Function that runs a command until it is done or the signal aborts. It rejects only because of a bug. */
export type Command<Name extends CommandName> = (invocation: Invocation<Name>) => Promise<ExitCode>;

/** A command in the help, and a function that loads its code: only when it is called, so that each starts fast. */
export interface CommandEntry<Name extends CommandName> {
  readonly summary: string;
  readonly load: () => Promise<Command<Name>>;
}

export type Commands = { readonly [Name in CommandName]?: CommandEntry<Name> };
