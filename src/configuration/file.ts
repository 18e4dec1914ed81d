import { open } from 'node:fs/promises';

/** Far larger than any configuration; a larger file is something else. */
const LARGEST_BYTES = 512 * 1024;

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

async function readUpTo(path: string, most: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(most);
    let filled = 0;
    while (filled < most) {
      const { bytesRead } = await file.read(buffer, filled, most - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await file.close();
  }
}

function decode(bytes: Buffer): ConfigText {
  if (bytes.length > LARGEST_BYTES) return { problem: 'the file is too large: expected at most 512 KiB' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { problem: 'expected text, found binary data' } : { text };
  } catch {
    // The decoder's only way to refuse what is not UTF-8.
    return { problem: 'expected text in UTF-8, found other data' };
  }
}
