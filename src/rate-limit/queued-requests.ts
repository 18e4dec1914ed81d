/** A request that waits for its turn. Times are local ms. */
export interface QueuedRequest {
  /** The group of operations it belongs to, which decides its limit scope. */
  readonly group: string;
  /** Before then it must not leave. */
  readonly notBefore: number;
  /** How much it matters, relative to the others. */
  readonly weight: number;
  /** Since when what it asks for has been ageing: the greatest weight times age leaves first. */
  readonly since: number;
  /** The age (ms) at which the plan lets it leave. Until then it may wait for a moment at which it returns fresher data. */
  plannedIntervalMs(): number;
}

/** A request, and what to do when it leaves. */
export interface QueueEntry {
  readonly request: QueuedRequest;
  readonly leave: () => void;
}

/**
 * The requests that wait. Which of two is more urgent changes with time only when their weights differ: so there is
 * a list for each group and weight, ordered once for good, and only its head can be the next to leave.
 */
export class QueuedRequests {
  /** Those whose time has come, the longest since first. */
  readonly #sorted = new Map<string, QueueEntry[]>();
  /** Those whose time had not come when they were added, the next one last. */
  readonly #early: QueueEntry[] = [];

  add(entry: QueueEntry, now: number): void {
    if (entry.request.notBefore > now) insert(this.#early, entry, (other) => -other.request.notBefore);
    else this.#sortIn(entry);
  }

  delete(entry: QueueEntry): void {
    // What leaves is in a list, mostly at its head; only what is aborted may be early.
    if (!remove(this.#sorted.get(keyOf(entry.request)) ?? [], entry)) remove(this.#early, entry);
  }

  /** Sorts in those whose time has come; the time of the next one (Infinity when there is none). */
  admit(now: number): number {
    for (;;) {
      const next = this.#early.at(-1);
      if (next === undefined) return Number.POSITIVE_INFINITY;
      if (next.request.notBefore > now) return next.request.notBefore;
      this.#early.pop();
      this.#sortIn(next);
    }
  }

  /** The most urgent requests of each group and weight, and whatever has not been sorted in yet; the most urgent first. */
  heads(now: number): QueueEntry[] {
    const heads = [...this.#sorted.values()].flatMap(([head]) => head ?? []);
    return [...heads, ...this.#due(now)].sort((a, b) => urgencyOf(b, now) - urgencyOf(a, now));
  }

  /** All whose time has come, the most urgent first. */
  inOrder(now: number): QueueEntry[] {
    const sorted = [...this.#sorted.values()].flat();
    return [...sorted, ...this.#due(now)].sort((a, b) => urgencyOf(b, now) - urgencyOf(a, now));
  }

  /** How many may leave as far as their time is concerned, of groups that satisfy a condition. */
  count(now: number, matches: (group: string) => boolean): number {
    let count = 0;
    for (const list of this.#sorted.values()) {
      if (list[0] !== undefined && matches(list[0].request.group)) count += list.length;
    }
    for (const { request } of this.#due(now)) if (matches(request.group)) count += 1;
    return count;
  }

  *#due(now: number): Iterable<QueueEntry> {
    for (let index = this.#early.length - 1; index >= 0; index -= 1) {
      const entry = this.#early[index];
      if (entry === undefined || entry.request.notBefore > now) return;
      yield entry;
    }
  }

  #sortIn(entry: QueueEntry): void {
    const key = keyOf(entry.request);
    const list = this.#sorted.get(key) ?? [];
    this.#sorted.set(key, list);
    insert(list, entry, (other) => other.request.since);
  }
}

/** Whether it was among them. */
function remove(entries: QueueEntry[], entry: QueueEntry): boolean {
  const index = entries.indexOf(entry);
  if (index >= 0) entries.splice(index, 1);
  return index >= 0;
}

/** How much it matters that a request leaves now: its weight times the age of what it asks for. */
function urgencyOf({ request: { weight, since } }: QueueEntry, now: number): number {
  return weight * (now - since);
}

function keyOf({ group, weight }: QueuedRequest): string {
  return `${weight} ${group}`;
}

/** Puts an entry behind all whose rank is not greater than its own. */
function insert(list: QueueEntry[], entry: QueueEntry, rank: (entry: QueueEntry) => number): void {
  const mine = rank(entry);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && rank(other) > mine) high = middle;
    else low = middle + 1;
  }
  list.splice(low, 0, entry);
}
