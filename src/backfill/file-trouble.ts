const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it, or what it is in, is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "the user's share of the disk is full",
  EMFILE: 'too many files are open',
  EIO: 'the disk has failed',
};

/** What has gone wrong with which file, in a sentence without its end; undefined when it is no error of a file. */
export function fileTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const file = 'path' in error && typeof error.path === 'string' ? error.path : 'a file';
  return `${file} cannot be used: ${WORDS[String(code)] ?? `${String(syscall)} failed with ${String(code)}`}`;
}
