import type { Clock } from '../clock.ts';

export interface WatchOptions {
  /** Whether something has changed since it was loaded last. */
  readonly hasChanged: () => Promise<boolean>;
  /** Milliseconds between two checks. */
  readonly interval: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Loads it anew. The next check waits for it, so that one change is one reload, however long that takes. */
  readonly onChange: () => Promise<void>;
}

/** Checks periodically, until the signal aborts. */
export async function watch({ hasChanged, interval, clock, signal, onChange }: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(interval, signal).catch(() => undefined);
    if (!signal.aborted && (await hasChanged())) await onChange();
  }
}
