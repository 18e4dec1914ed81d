import { createTask } from 'node-cron';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How many moments a look back goes through at most: a day of minutes. */
const MOST_STEPS_BACK = 24 * 60;

/** A cron pattern in UTC: which moments match it. node-cron decides, so that there is no second reading of patterns. */
export class CronPattern {
  readonly #matches: (at: Date) => boolean;
  /** Time between two moments that may match: patterns of six fields name seconds. */
  readonly #stepMs: number;

  /** @throws when the pattern is not one */
  constructor(pattern: string) {
    const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
    this.#matches = (at) => task.match(at);
    this.#stepMs = pattern.trim().split(/\s+/).length === 6 ? SECOND_MS : MINUTE_MS;
    // Only asked what matches: it never runs, and node-cron need not remember it.
    void task.destroy();
  }

  /** The first match in (after, until], in ms since the epoch. */
  firstIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    for (let at = (Math.floor(after / step) + 1) * step; at <= until; at += step) {
      if (this.#matches(new Date(at))) return at;
    }
    return undefined;
  }

  /** The last match in (after, until], as far as a day of minutes (or so many seconds) reaches back. */
  lastIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    const earliest = Math.max(after, until - MOST_STEPS_BACK * step);
    for (let at = Math.floor(until / step) * step; at > earliest; at -= step) {
      if (this.#matches(new Date(at))) return at;
    }
    return undefined;
  }
}
