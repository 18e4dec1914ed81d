#!/usr/bin/env node
import process from 'node:process';
import { endProcess } from './command-line/end-process.ts';
import { isTooFewFiles, TOO_FEW_FILES } from './command-line/open-files.ts';
import { COMMANDS } from './commands.ts';

const ending = new AbortController();
let endedBy: NodeJS.Signals | undefined;
// Once: a second signal ends the process immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endedBy = signal;
    ending.abort();
  });
// The reader of our output may go away; that is not a failure.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

const { argv, env, stdout, stderr } = process;
const onCrash = (report: (error: unknown) => void) =>
  process.once('uncaughtException', (error) => {
    report(error);
    process.exit(1);
  });
// Loaded here, since that opens a hundred files at once, which may be more than there can be.
const { run } = await import('./command-line/program.ts').catch((error: unknown) => {
  if (!isTooFewFiles(error)) throw error;
  stderr.write(`error: ${TOO_FEW_FILES}\n`);
  process.exit(1);
});
const code = await run(
  { args: argv.slice(2), env, stdout, stderr, signal: ending.signal, onCrash },
  COMMANDS,
);
await endProcess(code, endedBy);
