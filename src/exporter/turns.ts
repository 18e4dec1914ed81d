import { setImmediate } from 'node:timers/promises';

/** Time (ms) after which other work of the process may run. */
const TURN_MS = 10;

/** Processes items one after another, and lets other work run in between. The first turn begins at once. */
export async function inTurns<Item>(items: Iterable<Item>, act: (item: Item) => void): Promise<void> {
  let began = performance.now();
  for (const item of items) {
    act(item);
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}

/** Maps items one after another, and lets other work run in between. */
export async function mappedInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await inTurns(items, (item) => void results.push(map(item)));
  return results;
}
