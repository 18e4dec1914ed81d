#!/usr/bin/env node
import { COMMANDS } from './commands.ts';
import {
  endBySignal,
  endProcess,
  isTooFewFiles,
  StandardOutput,
  TOO_FEW_FILES,
} from './exporter/command-line/process.ts';

// `serve` reloads on this signal, even before it is ready. Other commands end, which is the default.
let reload: (() => void) | undefined;
let isReloadWanted = false;
const [name = 'serve'] = process.argv.slice(2);
if (name === 'serve' || !Object.hasOwn(COMMANDS, name))
  process.on('SIGHUP', () => {
    isReloadWanted = true;
    reload?.();
  });
// Node's default opens its inspector, which shows the memory, and so the tokens, to every user of the machine.
process.on('SIGUSR1', () => undefined);

const ending = new AbortController();
let endedBy: NodeJS.Signals | undefined;
// Longer than any command takes to end on a busy machine, and shorter than the 15 s that supervisors wait. A command
// that waits forever, for example for a pipe, does not end in order.
const LONGEST_END_MS = 10_000;
// Once: a second signal ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endedBy = signal;
    ending.abort();
    setTimeout(() => void endBySignal(signal), LONGEST_END_MS);
  });
// The reader of our output may go away; that is not a failure.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

const { argv, env, stderr } = process;
const stdout = new StandardOutput(process.stdout);
const onReload = (listener: () => void) => {
  reload = listener;
  if (isReloadWanted) listener();
};
const onCrash = (report: (error: unknown) => void) =>
  process.once('uncaughtException', (error) => {
    report(error);
    process.exit(1);
  });
// Loaded here, since that opens dozens of files at once, which may be more than there can be.
const { run } = await import('./exporter/command-line/program.ts').catch((error: unknown) => {
  if (!isTooFewFiles(error)) throw error;
  stderr.write(`error: ${TOO_FEW_FILES}\n`);
  process.exit(1);
});
const code = await run(
  { args: argv.slice(2), env, stdout, stderr, signal: ending.signal, onReload, onCrash },
  COMMANDS,
);
if (stdout.failure !== undefined)
  stderr.write(`error: the output cannot be written: ${stdout.failure.message}\n`);
await endProcess(stdout.failure !== undefined && code === 0 ? 1 : code, endedBy);
