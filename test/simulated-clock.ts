import type { Clock } from '../src/exporter/clock.ts';

/** Conditions for `run` to leave the present moment. */
export interface RunOptions {
  readonly busy?: () => number;
  /**
   * Real time (ms) that one moment may take. After it, the run fails instead of hanging. Default: 15 minutes.
   */
  readonly timeout?: number;
}

/** View of a clock that counts its own sleepers. */
export interface CountingClock extends Clock {
  readonly sleeping: number;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

const QUIET_TURNS = 4;
/** Number of quiet turns of the event loop if only promises are pending. */
export const PROMISES_ONLY = 1;
const LONGEST_MOMENT_MS = 900_000;
/** Turns of the event loop after which it pauses, so that threads (commits, compression) get CPU time. */
const SPINNING_TURNS = 50;

/**
 * Clock that moves only on request. Between two moments it waits for real work (loopback HTTP, commits,
 * slices), so that results do not depend on the machine's load.
 */
export class SimulatedClock implements Clock {
  #now: number;
  #set = 0;
  #running = false;
  /**
   * Sleepers in descending order of their wake time. Sleepers of the same moment wake in the order in which
   * they began.
   */
  readonly #sleepers: Sleeper[] = [];
  readonly #quietTurns: number;

  constructor(now = Date.UTC(2026, 0, 5), quietTurns = QUIET_TURNS) {
    this.#now = now;
    this.#quietTurns = quietTurns;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.#set;
  }

  /** Sets the machine's wall clock, as NTP or an operator does. `now` does not change. */
  setWall(byMs: number): void {
    this.#set += byMs;
  }

  /** Advances time while nothing runs, like a suspended process. Sleepers wake late. */
  suspend(ms: number): void {
    this.#now += ms;
  }

  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (Number.isNaN(ms)) throw new RangeError('asked to sleep for NaN milliseconds');
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper: Sleeper = {
        due: this.#now + Math.max(0, ms),
        wake: () => {
          signal?.removeEventListener('abort', cancel);
          resolve();
        },
      };
      const cancel = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#sleepers.splice(this.#place(sleeper.due), 0, sleeper);
    });
  }

  /** Calls `wake` at a time (ms since the epoch). */
  at(due: number, wake: () => void): void {
    this.#sleepers.splice(this.#place(due), 0, { due, wake });
  }

  /** Returns a view of this clock that counts its own sleepers. */
  counting(): CountingClock {
    let sleeping = 0;
    return {
      now: () => this.#now,
      wall: () => this.wall(),
      sleep: (ms, signal) => {
        sleeping++;
        return this.sleep(ms, signal).finally(() => sleeping--);
      },
      get sleeping() {
        return sleeping;
      },
    };
  }

  /** Advances time by `ms`, and stops at every moment at which a sleeper wakes. */
  advance(ms: number, options?: RunOptions): Promise<void> {
    return this.run(this.#now + ms, options);
  }

  /**
   * Advances time to `until` (ms since the epoch), and stops at every moment at which a sleeper wakes.
   * @throws Error if work of one moment does not end within the timeout, for example because it waits for an
   * event that never comes
   */
  async run(until: number, { busy = () => 0, timeout = LONGEST_MOMENT_MS }: RunOptions = {}): Promise<void> {
    if (this.#running) throw new Error('the clock is running already');
    this.#running = true;
    try {
      await this.#rest(busy, timeout);
      while (this.#wakeNext(until)) await this.#rest(busy, timeout);
      this.#now = Math.max(this.#now, until);
    } finally {
      this.#running = false;
    }
  }

  runCallbacks(until: number): void {
    while (this.#wakeNext(until));
    this.#now = Math.max(this.#now, until);
  }

  #place(due: number): number {
    let low = 0;
    let high = this.#sleepers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sleepers[middle]?.due ?? due) > due) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Wakes all sleepers of the next wake time. Returns false if there is none until `until`. */
  #wakeNext(until: number): boolean {
    const due = this.#sleepers.at(-1)?.due ?? Number.POSITIVE_INFINITY;
    if (due > until) return false;
    this.#now = Math.max(this.#now, due);
    const woken: Sleeper[] = [];
    while (this.#sleepers.at(-1)?.due === due) woken.push(...this.#sleepers.splice(-1));
    for (const { wake } of woken) wake();
    return true;
  }

  async #rest(busy: () => number, timeout: number): Promise<void> {
    const started = performance.now();
    for (let quiet = 0, turns = 0; quiet < this.#quietTurns; turns++) {
      await (turns < SPINNING_TURNS ? turn() : pause());
      quiet = busy() > 0 ? 0 : quiet + 1;
      if (performance.now() - started > timeout) throw this.#stuck(busy());
    }
  }

  #stuck(busy: number): Error {
    const at = new Date(this.#now).toISOString();
    return new Error(
      `time stands still at ${at}: ${busy} operations under way, ${this.#sleepers.length} asleep`,
    );
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
