import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long (ms) threads may take to come to an end. */
const LONGEST_WAIT_MS = 500;

/** Ends the process, also where a thread waits for a disk that hangs: then by the signal that asked for it. */
export async function endProcess(code: number, signal: NodeJS.Signals | undefined): Promise<void> {
  if (signal === undefined) await allTaken();
  else {
    for (let waited = 0; areThreadsBusy() && waited < LONGEST_WAIT_MS; waited += 50) await sleep(50);
    if (areThreadsBusy()) await endBySignal(signal);
  }
  process.exit(code);
}

/** Waits until a pipe's reader has all that was written, which `process.exit` would drop; a signal ends that at once. */
async function allTaken(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  const taken = [process.stdout, process.stderr].map(
    (output) => new Promise<void>((resolve) => output.write('', () => resolve())),
  );
  await Promise.all(taken);
}

/** Reads and writes of files, and what a worker was asked for. */
function areThreadsBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'MessagePort');
}

async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(100);
  // The first process of a container is ended by no signal that comes from within.
  process.abort();
}

/** What the program needs to load itself and to poll one account. */
const FEWEST = 256;

/** What to say where the operating system refuses to open one more file. */
export const TOO_FEW_FILES = `the limit of open files is too low: allow at least ${FEWEST} (ulimit -n, LimitNOFILE=)`;

/** Whether an error is that refusal. */
export function isTooFewFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** How many files and connections this process may have open; undefined where the system does not say. */
export function openFilesLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft === undefined ? undefined : Number(soft);
  } catch {
    // Only Linux has it.
    return undefined;
  }
}
