import { Cron } from 'croner';

const DAY_MS = 86_400_000;

function parsed(pattern: string, domAndDow = true): Cron {
  return new Cron(pattern.trim(), { utcOffset: 0, domAndDow, mode: '5-or-6-parts' });
}

/** True for a cron pattern that ever matches: five fields, six with the seconds first, or a nickname such as `@hourly`. */
export function isCronPattern(pattern: string): boolean {
  // Dates are patterns to croner.
  if (/^\d{4}-/.test(pattern.trim())) return false;
  try {
    return parsed(pattern).nextRun(new Date(0)) !== null;
  } catch {
    // The only way in which croner refuses a pattern.
    return false;
  }
}

/**
 * A cron pattern in UTC, as crontab(5) means it: of days of the month and days of the week that are both named, either matches;
 * a field that begins with `*` names none.
 */
export class CronPattern {
  readonly #cron: Cron;

  /** @throws when the pattern is not one */
  constructor(pattern: string) {
    const [days = '', , weekdays = ''] = pattern.trim().split(/\s+/).slice(-3);
    const isEither = [days, weekdays].every((field) => /^[^*?]/.test(field));
    this.#cron = parsed(pattern, !isEither);
  }

  /** The matches in (after, until], in ms since the epoch, one after another. */
  *within(after: number, until: number): Generator<number, void> {
    let next = this.firstIn(after, until);
    while (next !== undefined) {
      yield next;
      next = this.firstIn(next, until);
    }
  }

  /** The first match in (after, until], in ms since the epoch. */
  firstIn(after: number, until: number): number | undefined {
    const next = this.#cron.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
    return next <= until ? next : undefined;
  }

  /** The last match in (after, until], as far as a day reaches back. */
  lastIn(after: number, until: number): number | undefined {
    const [last] = this.#cron.previousRuns(1, new Date(until + 1));
    return last !== undefined && last.getTime() > Math.max(after, until - DAY_MS)
      ? last.getTime()
      : undefined;
  }
}
