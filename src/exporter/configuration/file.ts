import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/** Of ten thousand accounts; a larger file is something else. */
const LARGEST_BYTES = 4 * 1024 * 1024;

/** Read at a time: most files are smaller. */
const READ_BYTES = 64 * 1024;

/** The text of a configuration file, or what keeps it from being one. */
export type ConfigText = { readonly text: string } | { readonly problem: string };

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file cannot be read: permission denied',
  EPERM: 'the file cannot be read: permission denied',
  EISDIR: 'expected a file, found a directory',
};

/** Reads a file or pipe, never more than a configuration could have. */
export async function readConfigFile(path: string): Promise<ConfigText> {
  try {
    return decode(await readUpTo(path, LARGEST_BYTES + 1));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { problem: PROBLEMS[code] ?? `the file cannot be read: ${code}` };
  }
}

/** What was read, as a hash: it may hold secrets. */
export function digestOf(read: ConfigText): string {
  return 'problem' in read ? read.problem : createHash('sha256').update(read.text).digest('hex');
}

async function readUpTo(path: string, most: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const pieces: Buffer[] = [];
    for (let filled = 0; filled < most; ) {
      const piece = Buffer.allocUnsafe(Math.min(READ_BYTES, most - filled));
      const { bytesRead } = await file.read(piece);
      if (bytesRead === 0) break;
      pieces.push(piece.subarray(0, bytesRead));
      filled += bytesRead;
    }
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer): ConfigText {
  if (bytes.length > LARGEST_BYTES) return { problem: 'the file is too large: expected at most 4 MiB' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'expected text, found binary data' } : { text };
  } catch {
    // The decoder's only way to refuse what is not UTF-8.
    return { problem: 'expected text in UTF-8, found other data' };
  }
}
