import { Cron } from 'croner';

const DAY_MS = 86_400_000;

function parsed(pattern: string, domAndDow = true): Cron {
  return new Cron(pattern.trim(), { utcOffset: 0, domAndDow, mode: '5-or-6-parts' });
}

/**
 * Returns true for a valid cron pattern with at least one match: five fields, six with seconds first, or a nickname such as
 * `@hourly`.
 */
export function isCronPattern(pattern: string): boolean {
  // The parser (croner) would accept a date.
  if (/^\d{4}-/.test(pattern.trim())) return false;
  try {
    return parsed(pattern).nextRun(new Date(0)) !== null;
  } catch {
    // The parser reports an invalid pattern only by an error.
    return false;
  }
}

/**
 * Cron pattern in UTC, with the semantics of crontab(5). If it restricts both days of the month and days of the week, either
 * matches. A field that begins with `*` does not restrict.
 */
export class CronPattern {
  readonly #cron: Cron;

  /** @throws Error if the pattern is invalid */
  constructor(pattern: string) {
    const [days = '', , weekdays = ''] = pattern.trim().split(/\s+/).slice(-3);
    const isEither = [days, weekdays].every((field) => /^[^*?]/.test(field));
    this.#cron = parsed(pattern, !isEither);
  }

  /** Yields the matches in (after, until], in ms since the epoch, in order. */
  *within(after: number, until: number): Generator<number, void> {
    let next = this.firstIn(after, until);
    while (next !== undefined) {
      yield next;
      next = this.firstIn(next, until);
    }
  }

  /** Returns the first match in (after, until], in ms since the epoch; undefined if there is none. */
  firstIn(after: number, until: number): number | undefined {
    const next = this.#cron.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
    return next <= until ? next : undefined;
  }

  /** Returns the last match in (after, until], at most a day before `until`; undefined if there is none. */
  lastIn(after: number, until: number): number | undefined {
    const [last] = this.#cron.previousRuns(1, new Date(until + 1));
    return last !== undefined && last.getTime() > Math.max(after, until - DAY_MS)
      ? last.getTime()
      : undefined;
  }
}
