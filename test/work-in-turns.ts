import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * Number of steps in one turn of the event loop while {@link sliceBySteps} is in effect.
 */
export const STEPS_A_TURN = 2;

/** Makes every read of the time take a millisecond, so that slices end after a fixed number of steps. */
export function sliceBySteps(): void {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1;
    return now;
  });
}

/**
 * Returns the amount of work in each turn of the event loop until all is done.
 * @throws Error after a thousand turns
 */
export async function doneInTurns(done: () => number, all: number): Promise<number[]> {
  const turns = [done()];
  for (let before = done(); before < all; before = done()) {
    if (turns.length > 1_000) throw new Error(`${before} of ${all} were done`);
    await setImmediate();
    turns.push(done() - before);
  }
  return turns;
}

/**
 * Ends the effect of `sliceBySteps`. The current slice keeps its time, so the function also waits for the
 * next turn of the event loop.
 */
export async function sliceByTime(): Promise<void> {
  vi.restoreAllMocks();
  await setImmediate();
}
