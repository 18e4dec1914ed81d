import { setImmediate } from 'node:timers/promises';

/** Other work goes on after so long (ms). */
const TURN_MS = 10;

/** Maps many items, and lets other work go on in between. */
export async function mappedInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return results;
}
