import { setImmediate } from 'node:timers/promises';

/** How long a slice takes, in milliseconds: the most that anything else on the event loop waits, give or take one step. */
const SLICE_MS = 2;

/** Runs `steps` to their end in slices, between which the event loop has its turn. */
export async function runInSlices(steps: Iterator<undefined, void>): Promise<void> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      if (steps.next().done) return;
    } while (performance.now() < end);
    await setImmediate();
  }
}
