import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { type FailureOutcome, PlatformFailure } from '../platform/read.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before each retry, with the delay (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
  /** True while the platform has never answered: then the address may be wrong. */
  readonly isAddressInDoubt?: () => boolean;
}

/** Time (ms) of failures after which backfill gives up. */
export const RETRY_TIMEOUT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Tries, in a row, that show a wrong address or a metric that does not exist. */
const TRIES = 3;

/** Failures that a retry does not change. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** Failures that only the platform itself answers. */
const OF_PLATFORM: readonly FailureOutcome[] = ['rate_limited', 'server_error'];

/** Retries with growing pauses. @throws PlatformFailure a final one, or the last one when time is over */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry, isAddressInDoubt = () => false } = options;
  const mayBeMisaddressed = ({ outcome }: PlatformFailure) =>
    outcome === 'not_found' || (isAddressInDoubt() && !OF_PLATFORM.includes(outcome));
  let failingSince: number | undefined;
  let misaddressed = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof PlatformFailure) || FINAL.includes(failure.outcome)) throw failure;
      misaddressed = mayBeMisaddressed(failure) ? misaddressed + 1 : 0;
      failingSince ??= clock.now();
      if (misaddressed >= TRIES || clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw failure;
      onRetry(failure, pause);
      await clock.sleep(pause, signal);
    }
  }
}

/** Works on items, several at once, in their order. The first failure aborts the others, and is thrown. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  // Each worker listens: more than ten listeners are no leak.
  setMaxListeners(0, ending);
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    try {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        ending.throwIfAborted();
        await work(next.value, ending);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  ending.throwIfAborted();
}
