import { COMMANDS } from '../../src/commands.ts';
import type { Commands } from '../../src/exporter/command-line/command.ts';
import { run } from '../../src/exporter/command-line/program.ts';

/** Environment in which a command is called. */
export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  readonly commands?: Commands;
  /** Signal that ends the program; undefined: the program ends by itself. */
  readonly signal?: AbortSignal;
  readonly isTTY?: boolean;
}

/** Running call of the program, with its output so far. */
export interface RunningCall {
  readonly exitCode: ReturnType<typeof run>;
  readonly out: () => string;
  readonly err: () => string;
}

/** Calls the program in this process without waiting for its end. */
export function beginProgram(args: readonly string[], circumstances: Circumstances = {}): RunningCall {
  const {
    env = {},
    commands = COMMANDS,
    signal = new AbortController().signal,
    isTTY = false,
  } = circumstances;
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = run(
    {
      args,
      env,
      stdout: { write: (text) => out.push(text), isTTY },
      stderr: { write: (text) => err.push(text) },
      signal,
      onReload: () => undefined,
      onCrash: () => undefined,
    },
    commands,
  );
  return { exitCode, out: () => out.join(''), err: () => err.join('') };
}

/** Runs the program in this process. Returns its exit code and output. */
export async function callProgram(args: readonly string[], circumstances: Circumstances = {}) {
  const { exitCode, out, err } = beginProgram(args, circumstances);
  return { exitCode: await exitCode, out: out(), err: err() };
}
