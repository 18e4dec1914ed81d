import type { Clock } from '../clock.ts';
import { type FailureOutcome, PlatformFailure } from '../platform/outcome.ts';

export interface PatienceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told of every failure that is tried again, and after how long (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
}

/** How long something may keep failing: longer than a deployment of the platform, shorter than an operator's night. */
const PATIENCE_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** What another try does not change. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** "Not found" may be a stumble, but not so many times in a row. */
const NOT_FOUND_TRIES = 3;

/**
 * Tries until it succeeds, with ever longer pauses.
 * @throws PlatformFailure the last one, when it is final or the patience is over
 */
export async function patiently<T>(attempt: () => Promise<T>, options: PatienceOptions): Promise<T> {
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
      if (notFound >= NOT_FOUND_TRIES || clock.now() - failingSince >= PATIENCE_MS) throw failure;
      onRetry(failure, pause);
      await clock.sleep(pause, signal);
    }
  }
}
