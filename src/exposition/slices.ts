import { setImmediate } from 'node:timers/promises';

/** How long a slice takes, in milliseconds: the most that anything else on the event loop waits, give or take one step. */
const SLICE_MS = 2;

/**
 * Takes `steps` to their end in slices, the first at once, between which the event loop has its turn.
 * @returns undefined when one slice was enough
 */
export function runInSlices(steps: Iterator<undefined, void>): Promise<void> | undefined {
  return takeSlice(steps) ? undefined : takeOtherSlices(steps);
}

/** Whether that was the last one. */
function takeSlice(steps: Iterator<undefined, void>): boolean {
  const end = performance.now() + SLICE_MS;
  do {
    if (steps.next().done) return true;
  } while (performance.now() < end);
  return false;
}

async function takeOtherSlices(steps: Iterator<undefined, void>): Promise<void> {
  do await setImmediate();
  while (!takeSlice(steps));
}
