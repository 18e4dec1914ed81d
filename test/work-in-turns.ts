import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';

/** Steps that work in slices takes in a turn of the event loop while {@link sliceBySteps} is in force. */
export const STEPS_A_TURN = 2;

/** Makes every read of the time take a millisecond, so that slices end after a fixed number of steps. */
export function sliceBySteps(): void {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 1;
    return now;
  });
}

/** Returns the amount of work of each turn of the event loop until all is done. @throws after a thousand turns */
export async function doneInTurns(done: () => number, all: number): Promise<number[]> {
  const turns = [done()];
  for (let before = done(); before < all; before = done()) {
    if (turns.length > 1_000) throw new Error(`${before} of ${all} were done`);
    await setImmediate();
    turns.push(done() - before);
  }
  return turns;
}

/** Ends that. The slice of this turn of the event loop still has the time it was given, so the turn is over then, too. */
export async function sliceByTime(): Promise<void> {
  vi.restoreAllMocks();
  await setImmediate();
}
