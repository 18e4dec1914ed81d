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

/** Awaits work on a file and adds the file's path to a failure. Node itself does so only if the file cannot be opened. */
export async function doneWith<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? Object.assign(error, { path }) : error;
  }
}

/** Returns the problem with a file as a phrase; undefined if the error is not about a file. */
export function fileTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const file = 'path' in error && typeof error.path === 'string' ? error.path : 'a file';
  return `${file} cannot be used: ${WORDS[String(code)] ?? `${String(syscall)} failed with ${String(code)}`}`;
}
