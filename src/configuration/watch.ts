import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { readConfigFile } from './file.ts';

/** Whether a file has changed since the last check, or can no longer be read. */
export type HasChanged = () => Promise<boolean>;

/**
 * Remembers what a file holds. Contents are compared and not times, since Kubernetes replaces the link to a file and
 * not the file.
 */
export async function rememberConfigFile(file: string): Promise<HasChanged> {
  let known = await contentOf(file);
  return async () => {
    const before = known;
    known = await contentOf(file);
    return known !== before;
  };
}

/** What a file holds, as a hash: it may be a secret. */
async function contentOf(file: string): Promise<string> {
  const read = await readConfigFile(file);
  return 'problem' in read ? read.problem : createHash('sha256').update(read.text).digest('hex');
}

export interface WatchOptions {
  readonly hasChanged: HasChanged;
  /** Milliseconds between two checks. */
  readonly interval: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onChange: () => void;
}

/** Checks periodically, until the signal aborts. */
export async function watch({ hasChanged, interval, clock, signal, onChange }: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(interval, signal).catch(() => undefined);
    if (!signal.aborted && (await hasChanged())) onChange();
  }
}
