/** Something that happens at a time; of the same time, in the order in which it was planned. */
export interface Planned {
  readonly at: number;
  readonly order: number;
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** A binary heap, the first in time on top. */
export function push<One extends Planned>(heap: One[], one: One): void {
  let at = heap.push(one) - 1;
  for (let above = (at - 1) >> 1; at > 0; at = above, above = (at - 1) >> 1) {
    const parent = heap[above];
    if (parent === undefined || !isBefore(one, parent)) break;
    heap[at] = parent;
    heap[above] = one;
  }
}

export function pop<One extends Planned>(heap: One[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
}
