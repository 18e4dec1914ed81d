import { PlatformFailure } from '../platform/read.ts';

/** Why there is no history, as a sentence for the operator. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
}

/** The command must be changed, rather than repeated later. */
export class Misuse extends BackfillRefusal {}

/** What has failed for too long: reading a window of a metric, or sending to a receiver. Its message names which, and why. */
export class LongFailure extends Error {
  override readonly name = 'LongFailure';
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the user is used up',
  EMFILE: 'too many files are open',
  EIO: 'the disk has failed',
};

/** Awaits what is done with a file: a failure names the file, as Node itself has it only where the file cannot be opened. */
export async function doneWith<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path }) : error;
  }
}

/** What is wrong with which file, as a phrase; undefined if the error is not about a file. */
export function fileTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const file = 'path' in error && typeof error.path === 'string' ? error.path : 'a file';
  return `${file} cannot be used: ${WORDS[String(code)] ?? `${String(syscall)} failed with ${String(code)}`}`;
}

/** What to tell of an error of a history, and what to do then; undefined when it is a fault of the program. */
export function backfillSentence(
  error: unknown,
  advice = 'run the same command again to continue',
): string | undefined {
  if (error instanceof BackfillRefusal) return error.message;
  if (error instanceof LongFailure) return `${error.message}: giving up for now; ${advice}`;
  if (error instanceof PlatformFailure) return `${error.message} (${error.outcome})`;
  const trouble = fileTrouble(error);
  return trouble === undefined ? undefined : `${trouble}; ${advice}`;
}
