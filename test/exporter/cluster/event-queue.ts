/** Event at a simulated time. Events of the same time happen in the order of planning. */
export interface Planned {
  readonly at: number;
  readonly order: number;
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Adds an event to a binary heap, whose first element is the earliest event. */
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
