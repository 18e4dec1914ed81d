import type { Clock } from '../src/exporter/clock.ts';

/** Condition under which `run` treats the present moment as over. */
export interface RunOptions {
  readonly busy?: () => number;
  /** Real milliseconds that one moment may take before the run fails instead of hanging. Default: 15 minutes. */
  readonly timeout?: number;
}

/** Clock of the same time that counts its sleepers. */
export interface CountingClock extends Clock {
  readonly sleeping: number;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

const QUIET_TURNS = 4;
/** Number of turns if nothing but promises is waited for. */
export const PROMISES_ONLY = 1;
const LONGEST_MOMENT_MS = 900_000;
/** Turns after which the loop pauses, so that threads (commits, compression) get the processor. */
const SPINNING_TURNS = 50;

/**
 * Clock that moves only on request. Between two moments it waits for real work (loopback HTTP, commits, slices), so that
 * results do not depend on the machine's load.
 */
export class SimulatedClock implements Clock {
  #now: number;
  #set = 0;
  #running = false;
  /** Sleepers; the next one is last. Those of one moment wake in the order in which they began. */
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

  /** Sets the machine's clock, as NTP or an operator does. `now` does not change. */
  setWall(byMs: number): void {
    this.#set += byMs;
  }

  /** Advances time while nothing runs, like a stopped process. Sleepers wake late. */
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

  /** Calls back at a moment (ms since the epoch). */
  at(due: number, wake: () => void): void {
    this.#sleepers.splice(this.#place(due), 0, { due, wake });
  }

  /** A view of this clock whose sleepers are counted apart. */
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

  /** Moves on by `ms`, through every moment at which someone wakes. */
  advance(ms: number, options?: RunOptions): Promise<void> {
    return this.run(this.#now + ms, options);
  }

  /**
   * Moves on to `until` (ms since the epoch), through every moment at which someone wakes.
   * @throws when one moment does not come to rest within the timeout, which means that something waits in vain
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

  /** Wakes all that are due first, unless that is after `until`. */
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
