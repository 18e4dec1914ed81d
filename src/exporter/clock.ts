/**
 * The source of time. Whatever waits or needs the time gets one, so that tests can simulate days.
 *
 * Whatever lasts, expires or falls due is measured by `now`, which no change of the machine's clock touches. `wall` only
 * names moments for others: buckets (until the first `Date` header of the platform), cron moments, and what is displayed.
 */
export interface Clock {
  /** Local time: milliseconds since the epoch by the machine's clock at the start, and steady from then on. */
  now(): number;
  /** Returns the time of the machine's clock (ms since the epoch). It may be set, forward and back. */
  wall(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Returns the time of the machine's clock at a local time, as it is set now. */
export function wallAt(clock: Pick<Clock, 'now' | 'wall'>, local: number): number {
  return local + clock.wall() - clock.now();
}

/** The longest delay a timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clock. */
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

/** Why the sleep of a timer ends early. One for all: to make an error for each, as `abort` does by itself, takes its time. */
const SET_ANEW = new Error('set to another time');

/** Calls back once, at the time it was set to last. */
export class Timer {
  readonly #clock: Clock;
  readonly #callback: () => void;
  #sleep: AbortController | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock;
    this.#callback = callback;
  }

  /** Sets it to another time (local ms); Infinity for none. */
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
      // The only way to fail is the abort above: the timer was set to another time.
      () => undefined,
    );
  }
}

/** The reason of a signal that aborted because the time was up. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * A signal that aborts when the outer one does (with its reason) or after `ms` milliseconds (with DeadlineExceeded), until
 * `end` is called. Real time, not a Clock's: it bounds how long a real peer may take.
 * AbortSignal.any is not used, since Node 20 keeps its sources alive for as long as a long-lived outer signal.
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

/** Waits for `shared` unless the signal aborts first; others may go on waiting for it. */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    // Always attached: a rejection without a listener would end the process.
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
