/**
 * Source of time, which tests replace to simulate days. Durations, expiry and deadlines use `now`, which no change of the
 * machine's clock affects. `wall` only names moments for others. These are buckets (until the first `Date` header of the
 * platform), cron moments, and displayed times.
 */
export interface Clock {
  /** Returns the local time: milliseconds since the epoch by the machine's clock at the start, monotonic from then on. */
  now(): number;
  /** Returns the time of the machine's clock (ms since the epoch), which may be set forward and back. */
  wall(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Returns the time of the machine's clock, as currently set, at a local time. */
export function wallAt(clock: Pick<Clock, 'now' | 'wall'>, local: number): number {
  return local + clock.wall() - clock.now();
}

/** Longest delay (ms) of a timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Clock of the machine. */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const wake = () => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      const cancel = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
    });
  },
};

/** Abort reason when a timer is set to another time. It is shared, since creating an error for each abort is slow. */
const SET_ANEW = new Error('set to another time');

/** Timer that calls back once, at the time that was set last. */
export class Timer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #sleep: AbortController | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Sets the timer to another time (local ms); Infinity clears it. */
  set(at: number): void {
    if (at === this.#at) return;
    this.#sleep?.abort(SET_ANEW);
    this.#at = at;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#sleep = new AbortController();
    this.#clock.sleep(Math.max(1, at - this.#clock.now()), this.#sleep.signal).then(
      () => {
        this.#at = Number.POSITIVE_INFINITY;
        this.#callback();
      },
      // The sleep rejects only after the abort above, when the timer was set to another time.
      () => undefined,
    );
  }
}

/** Abort reason of a signal whose deadline has passed. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Returns a signal that aborts when the outer one does, or with DeadlineExceeded after `ms` milliseconds. `end` cancels both. It
 * uses real time, not a Clock, since it bounds the response time of a real peer. AbortSignal.any is not used: on Node 20 it
 * retains its sources as long as a long-lived outer signal exists.
 */
export function deadlineWithin(
  ms: number,
  outer: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  outer.throwIfAborted();
  const inner = new AbortController();
  const follow = () => inner.abort(outer.reason);
  const timer = setTimeout(() => inner.abort(new DeadlineExceeded('timed out')), ms);
  outer.addEventListener('abort', follow, { once: true });
  const end = () => {
    clearTimeout(timer);
    outer.removeEventListener('abort', follow);
  };
  return { signal: inner.signal, end };
}

/** Runs `work` under the signal of {@link deadlineWithin}. */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, end } = deadlineWithin(ms, outer);
  try {
    return await work(signal);
  } finally {
    end();
  }
}

/** Waits for `shared`, or rejects with the signal's reason if it aborts first. Other callers may continue to wait for `shared`. */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    // The handlers are always attached: an unhandled rejection would end the process.
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Resolves when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
