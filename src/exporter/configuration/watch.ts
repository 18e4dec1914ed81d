import type { Clock } from '../clock.ts';

export interface WatchOptions {
  /** Whether something has changed since it was loaded last. */
  readonly hasChanged: () => Promise<boolean>;
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
