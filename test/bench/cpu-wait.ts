/** How long this process waits for a CPU: of two programs that take turns on one, each seems to be blocked by itself. */
import { openSync, readSync } from 'node:fs';

const NANOSECONDS_A_MS = 1e6;

/** A stretch of time in which the event loop was held up (ms). */
export interface Block {
  readonly longest: number;
  /** The longest by the main thread's own doing: without what it waited for a CPU that something else ran on. */
  readonly longestOwn: number;
  /**
   * The longest by what the main thread ran: also without what it waited for the collector's other threads, which may wait for
   * a CPU themselves, and for memory.
   */
  readonly longestRun: number;
}

/** How long (ms) the main thread has run, and has waited for a CPU, since it began. */
export interface ThreadTimes {
  readonly ran: number;
  readonly waited: number;
}

const NONE: Block = { longest: 0, longestOwn: 0, longestRun: 0 };

/** The longest stretches between moments that it is told of. */
export class LongestBlock {
  readonly #times: () => ThreadTimes;
  readonly #now: () => number;
  #begun: number;
  #before: ThreadTimes;
  #block = NONE;

  constructor(times = threadTimes(), now = () => performance.now()) {
    this.#times = times;
    this.#now = now;
    this.#before = times();
    this.#begun = now();
  }

  /** The event loop has its turn. */
  turn(): void {
    const now = this.#now();
    const times = this.#times();
    const block = now - this.#begun;
    const { longest, longestOwn, longestRun } = this.#block;
    this.#block = {
      longest: Math.max(longest, block),
      longestOwn: Math.max(longestOwn, block - (times.waited - this.#before.waited)),
      longestRun: Math.max(longestRun, times.ran - this.#before.ran),
    };
    this.#before = times;
    this.#begun = now;
  }

  /** What there was since it was last asked for. */
  take(): Block {
    const block = this.#block;
    this.#block = NONE;
    return block;
  }
}

/** As Linux counts it, to the nanosecond. */
function threadTimes(): () => ThreadTimes {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(100);
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const [ran, waited] = bytes.toString('latin1', 0, length).split(' ').map(Number);
    return { ran: (ran ?? 0) / NANOSECONDS_A_MS, waited: (waited ?? 0) / NANOSECONDS_A_MS };
  };
}
