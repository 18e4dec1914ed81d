import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long (ms) threads may take to come to an end. */
const LONGEST_WAIT_MS = 500;

/**
 * Ends the process, which was asked to end by a signal. `process.exit` waits for every thread, and so forever for one that
 * waits for a disk that hangs: then the signal ends the process, as it does by default.
 */
export async function endProcess(code: number, signal: NodeJS.Signals | undefined): Promise<void> {
  if (signal !== undefined) {
    for (let waited = 0; areThreadsBusy() && waited < LONGEST_WAIT_MS; waited += 50) await sleep(50);
    if (areThreadsBusy()) await endBySignal(signal);
  }
  process.exit(code);
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
