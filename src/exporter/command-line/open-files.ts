import { readFileSync } from 'node:fs';

/** What the program needs to load itself and to poll one account. */
const FEWEST = 256;

/** What to say where the operating system refuses to open one more file. */
export const TOO_FEW_FILES = `the limit of open files is too low: allow at least ${FEWEST} (ulimit -n, LimitNOFILE=)`;

/** Whether an error is that refusal. */
export function isTooFewFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

/** How many files and connections this process may have open; undefined where the system does not tell. */
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
