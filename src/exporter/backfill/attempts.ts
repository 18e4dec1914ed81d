import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { type FailureOutcome, PlatformFailure } from '../platform/read.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before each retry, with the delay (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
  /** Returns true while the platform has never answered, so that the address may be wrong. */
  readonly isAddressInDoubt?: () => boolean;
}

/** Duration (ms) of consecutive failures after which backfill stops. */
export const RETRY_TIMEOUT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Number of consecutive attempts that confirm a wrong address or a missing metric. */
const TRIES = 3;

/** Failures that are never retried. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** Failures that only the platform itself can cause. */
const OF_PLATFORM: readonly FailureOutcome[] = ['rate_limited', 'server_error'];

/** Retries an operation with increasing delays. @throws PlatformFailure that is not retried, or the last one at the time limit */
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

/** Processes items in their order, several at a time. The first failure aborts the others and is thrown. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  // Each worker adds a listener, so more than ten are not a leak.
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
