/** So many are put in order in one step. */
const STEP = 200;

/** Puts things in order, in small steps: short runs of them first, which are then merged. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += STEP) {
    runs.push(items.slice(from, from + STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of those that are equal, the one in `left` comes first. */
function* merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  const merged: Item[] = [];
  let [inLeft, inRight] = [0, 0];
  while (inLeft < left.length || inRight < right.length) {
    const [a, b] = [left[inLeft], right[inRight]];
    const takesLeft = b === undefined || (a !== undefined && compare(a, b) <= 0);
    const next = takesLeft ? a : b;
    if (takesLeft) inLeft += 1;
    else inRight += 1;
    if (next !== undefined) merged.push(next);
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}
