import { setTimeout as pause } from 'node:timers/promises';

/** Options of `eventually`: time limit and interval of the checks. */
export interface EventuallyOptions {
  /** Time limit in milliseconds; default: ten minutes, which only a failing test uses up. */
  readonly within?: number;
  /** Minimum interval between two checks in milliseconds; default: 50. */
  readonly every?: number;
  readonly evidence?: () => string;
}

/** Maximum pause (ms) between two checks that take long. */
const LONGEST_PAUSE = 1_000;

/**
 * Repeats a check until it neither throws nor returns undefined or false. Returns its result.
 * @throws Error after the time limit; its cause is the error of the last check
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { within = 600_000, every = 50, evidence = () => '' }: EventuallyOptions = {},
): Promise<T> {
  const deadline = performance.now() + within;
  let cause: unknown;
  do {
    const began = performance.now();
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    // Without longer pauses, a slow check such as a scrape of everything would take much of the machine's
    // time.
    await pause(Math.max(every, Math.min(9 * (performance.now() - began), LONGEST_PAUSE)));
  } while (performance.now() < deadline);
  throw new Error(`not within ${within / 1000} s: ${what}\n${evidence()}`, { cause });
}
