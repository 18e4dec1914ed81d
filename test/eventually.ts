import { setTimeout as pause } from 'node:timers/promises';

/** Time limit and interval of the checks. */
export interface EventuallyOptions {
  /** Milliseconds; default: ten minutes, which only a failing test spends. */
  readonly within?: number;
  /** Milliseconds between two looks, at least. Default: 50. */
  readonly every?: number;
  readonly evidence?: () => string;
}

/** Between two looks that take long (ms). */
const LONGEST_PAUSE = 1_000;

/**
 * Looks until `look` neither throws nor gives undefined or false, and gives its result.
 * @throws when that does not happen in time; the cause is the last look's error
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
    // A look that takes long, such as a scrape of everything, would otherwise be much of what the machine does.
    await pause(Math.max(every, Math.min(9 * (performance.now() - began), LONGEST_PAUSE)));
  } while (performance.now() < deadline);
  throw new Error(`not within ${within / 1000} s: ${what}\n${evidence()}`, { cause });
}
