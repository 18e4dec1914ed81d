import type { Clock } from '../../../src/clock.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that jumps from event to event: a heap, since a day holds millions of them. */
export class EventClock implements Clock {
  readonly #heap: Event[] = [];
  #now: number;
  #order = 0;

  constructor(now: number) {
    this.#now = now;
  }

  wall(): number {
    return this.now();
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = () => reject(signal?.reason);
      signal?.addEventListener('abort', cancel, { once: true });
      this.at(this.#now + Math.max(0, ms), () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      });
    });
  }

  /** Calls back at a moment. */
  at(time: number, run: () => void): void {
    const event = { at: time, order: this.#order++, run };
    let index = this.#heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || !before(event, above)) break;
      this.#heap[index] = above;
      index = parent;
    }
    this.#heap[index] = event;
  }

  /** Moves on to `until` through all events; promises settle between two of them. */
  async run(until: number): Promise<void> {
    await settled();
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop();
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settled();
    }
    this.#now = until;
  }

  /** As `run`, for callbacks that make no promises. */
  runCallbacks(until: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop();
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = until;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = this.#heap[child];
      if (left === undefined) break;
      const right = this.#heap[child + 1];
      if (right !== undefined && before(right, left)) child += 1;
      const smallest = this.#heap[child] ?? left;
      if (!before(smallest, last)) break;
      this.#heap[index] = smallest;
      index = child;
    }
    this.#heap[index] = last;
  }
}

function before(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
