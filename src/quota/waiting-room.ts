import { type Ticket, urgencyOf } from './ticket.ts';

/** A ticket, and what its holder waits for. */
export interface Waiting {
  readonly ticket: Ticket;
  readonly depart: () => void;
}

/**
 * The tickets that wait. Which of two is more urgent changes with time only when their weights differ: so there is
 * a queue for each group and weight, ordered once for good, and only its head can be the next to leave.
 */
export class WaitingRoom {
  /** Those whose time has come, the longest since first. */
  readonly #queues = new Map<string, Waiting[]>();
  /** Those whose time has not come, the next one last. */
  readonly #early: Waiting[] = [];

  add(entry: Waiting, now: number): void {
    if (entry.ticket.notBefore > now) insert(this.#early, entry, (other) => -other.ticket.notBefore);
    else this.#queue(entry);
  }

  delete(entry: Waiting): void {
    for (const queue of [this.#early, this.#queues.get(keyOf(entry.ticket)) ?? []]) {
      const index = queue.indexOf(entry);
      if (index >= 0) queue.splice(index, 1);
    }
  }

  /** Lets those queue whose time has come; the time of the next one (Infinity when there is none). */
  admit(now: number): number {
    for (;;) {
      const next = this.#early.at(-1);
      if (next === undefined) return Number.POSITIVE_INFINITY;
      if (next.ticket.notBefore > now) return next.ticket.notBefore;
      this.#early.pop();
      this.#queue(next);
    }
  }

  /** The first of each queue. */
  *heads(): Iterable<Waiting> {
    for (const [head] of this.#queues.values()) if (head !== undefined) yield head;
  }

  /** How many queue whose group satisfies a condition. */
  count(matches: (group: string) => boolean): number {
    let count = 0;
    for (const queue of this.#queues.values()) {
      if (queue[0] !== undefined && matches(queue[0].ticket.group)) count += queue.length;
    }
    return count;
  }

  #queue(entry: Waiting): void {
    const key = keyOf(entry.ticket);
    const queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    insert(queue, entry, (other) => other.ticket.since);
  }
}

/** Of entries that may be chosen the most urgent one; of equals the first. */
export function mostUrgent(
  entries: Iterable<Waiting>,
  now: number,
  may: (entry: Waiting) => boolean,
): Waiting | undefined {
  let most: Waiting | undefined;
  for (const entry of entries) {
    if (!may(entry)) continue;
    if (most === undefined || urgencyOf(entry.ticket, now) > urgencyOf(most.ticket, now)) most = entry;
  }
  return most;
}

function keyOf({ group, weight }: Ticket): string {
  return `${weight} ${group}`;
}

/** Puts an entry behind all whose rank is not greater than its own. */
function insert(queue: Waiting[], entry: Waiting, rank: (entry: Waiting) => number): void {
  const mine = rank(entry);
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle];
    if (other !== undefined && rank(other) > mine) high = middle;
    else low = middle + 1;
  }
  queue.splice(low, 0, entry);
}
