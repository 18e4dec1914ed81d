#!/usr/bin/env node
import process from 'node:process';
import { run } from './command-line/program.ts';
import { COMMANDS } from './commands.ts';

const ending = new AbortController();
// Once: a second signal ends the process at once, whatever it still waits for.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
// Whoever read our output may leave; that is no reason to fail.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

const { argv, env, stdout, stderr } = process;
const onCrash = (report: (error: unknown) => void) =>
  process.once('uncaughtException', (error) => {
    report(error);
    process.exit(1);
  });
process.exit(
  await run({ args: argv.slice(2), env, stdout, stderr, signal: ending.signal, onCrash }, COMMANDS),
);
