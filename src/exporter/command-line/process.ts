import { fstatSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../text/output.ts';

/** Time limit (ms) for threads to end. */
const LONGEST_WAIT_MS = 500;

/** Standard output. Detects lost data, because Node drops it silently if a disk is full, which would truncate a file of rules. */
export class StandardOutput implements Output {
  /** Failure to write to a file; undefined if there was none. A reader that closes a pipe is not a failure. */
  failure: Error | undefined;
  readonly #stream: NodeJS.WriteStream & { readonly fd: number };
  readonly #isStream: boolean;

  constructor(stream: NodeJS.WriteStream & { readonly fd: number }) {
    this.#stream = stream;
    this.#isStream = stream.isTTY || isPipe(stream.fd);
  }

  get isTTY(): boolean {
    return this.#stream.isTTY;
  }

  write(text: string): void {
    if (this.#isStream) this.#stream.write(text);
    else if (this.failure === undefined) this.#writeWhole(text);
  }

  #writeWhole(text: string): void {
    try {
      writeFileSync(this.#stream.fd, text);
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** Returns true for a pipe or a socket, which a reader may empty slowly, and for a descriptor that cannot be examined. */
function isPipe(fd: number): boolean {
  try {
    const kind = fstatSync(fd);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    // The descriptor is closed.
    return true;
  }
}

/** Ends the process even if a thread waits for a hanging disk. In that case ends it with `signal`. */
export async function endProcess(code: number, signal: NodeJS.Signals | undefined): Promise<void> {
  if (signal === undefined) await allTaken();
  else {
    for (let waited = 0; areThreadsBusy() && waited < LONGEST_WAIT_MS; waited += 50) await sleep(50);
    if (areThreadsBusy()) await endBySignal(signal);
  }
  process.exit(code);
}

/** Waits until a pipe's reader has received all output, which `process.exit` would drop. A signal ends the wait at once. */
async function allTaken(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  const taken = [process.stdout, process.stderr].map(
    (output) => new Promise<void>((resolve) => output.write('', () => resolve())),
  );
  await Promise.all(taken);
}

/** Returns true if file operations or workers are running. */
function areThreadsBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq') || name === 'MessagePort');
}

/** Ends the process at once, as the signal would without a listener. */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(100);
  // Signals from within do not end the first process of a container.
  process.abort();
}

/** Minimum number of open files that the program needs to load itself and to poll one account. */
const FEWEST = 256;

/** Message for the operating system's refusal to open another file. */
export const TOO_FEW_FILES = `the limit of open files is too low: allow at least ${FEWEST} (ulimit -n, LimitNOFILE=)`;

/** Returns true if the operating system refused to open another file. */
export function isTooFewFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** Returns the limit of open files and connections of this process; undefined if the system does not report it. */
export function openFilesLimit(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft === undefined ? undefined : Number(soft);
  } catch {
    // Only Linux has this file.
    return undefined;
  }
}
