import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';

/** Configuration file that is removed when the test finishes. */
export interface ConfigFile {
  readonly path: string;
  /** Replaces the file's content with a document or with text. */
  readonly write: (content: object | string) => Promise<void>;
}

/** Writes a configuration, as a document or as text, to a file in a temporary folder. */
export async function configFile(content: object | string): Promise<ConfigFile> {
  const path = join(await temporaryFolder(), 'exporter.yaml');
  // A rename replaces the file atomically, as editors do. Otherwise a reader could find an empty file.
  const write = async (changed: object | string) => {
    await writeFile(`${path}.new`, typeof changed === 'string' ? changed : stringify(changed));
    await rename(`${path}.new`, path);
  };
  await write(content);
  return { path, write };
}

/** Creates a temporary folder and removes it when the test finishes. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-exporter-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
