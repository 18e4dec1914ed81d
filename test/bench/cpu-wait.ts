/** How long this process waits for a CPU: of two programs that take turns on one, each seems to be blocked by itself. */
import { openSync, readSync } from 'node:fs';

const NANOSECONDS_A_MS = 1e6;

/** A stretch of time in which the event loop was held up (ms). */
export interface Block {
  readonly longest: number;
  /** The longest by the main thread's own doing: without what it waited for a CPU that something else ran on. */
  readonly longestOwn: number;
}

/** The longest stretches between moments that it is told of. */
export class LongestBlock {
  readonly #waited: () => number;
  readonly #now: () => number;
  #begun: number;
  #waitedBefore: number;
  #longest = 0;
  #longestOwn = 0;

  /** @param waited how long (ms) the main thread has waited for a CPU since it began */
  constructor(waited = cpuWait(), now = () => performance.now()) {
    this.#waited = waited;
    this.#now = now;
    this.#waitedBefore = waited();
    this.#begun = now();
  }

  /** The event loop has its turn. */
  turn(): void {
    const now = this.#now();
    const waited = this.#waited();
    const block = now - this.#begun;
    this.#longest = Math.max(this.#longest, block);
    this.#longestOwn = Math.max(this.#longestOwn, block - (waited - this.#waitedBefore));
    this.#waitedBefore = waited;
    this.#begun = now;
  }

  /** What there was since it was last asked for. */
  take(): Block {
    const { longest, longestOwn } = { longest: this.#longest, longestOwn: this.#longestOwn };
    [this.#longest, this.#longestOwn] = [0, 0];
    return { longest, longestOwn };
  }
}

/** As Linux counts it, to the nanosecond. */
function cpuWait(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(100);
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / NANOSECONDS_A_MS;
  };
}
