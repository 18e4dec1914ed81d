import type { Clock } from '../clock.ts';
import { type FailureOutcome, PlatformFailure } from '../platform/outcome.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for every failure that is retried, with the delay (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
}

/** How long something may keep failing before backfill gives up. */
export const RETRY_TIMEOUT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Failures that a retry does not change. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** "Not found" may be temporary, but not this many times in a row. */
const NOT_FOUND_TRIES = 3;

/**
 * Retries until it succeeds, with growing pauses.
 * @throws PlatformFailure the last one, if it is final or the time for retries is over
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry } = options;
  let failingSince: number | undefined;
  let notFound = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof PlatformFailure) || FINAL.includes(failure.outcome)) throw failure;
      notFound = failure.outcome === 'not_found' ? notFound + 1 : 0;
      failingSince ??= clock.now();
      if (notFound >= NOT_FOUND_TRIES || clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw failure;
      onRetry(failure, pause);
      await clock.sleep(pause, signal);
    }
  }
}
