import { createTask } from 'node-cron';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How many moments a look back goes through at most: a day of minutes. */
const MOST_STEPS_BACK = 24 * 60;

/** A cron pattern in UTC: which moments match it. node-cron decides, so that there is no second reading of patterns. */
export class CronPattern {
  readonly #matches: (at: number) => boolean;
  /** Time between two moments that may match: patterns of six fields name seconds. */
  readonly #stepMs: number;

  /** @throws when the pattern is not one */
  constructor(pattern: string) {
    const task = createTask(pattern, () => undefined, { timezone: 'Etc/UTC' });
    this.#matches = remembered((at) => task.match(new Date(at)));
    this.#stepMs = pattern.trim().split(/\s+/).length === 6 ? SECOND_MS : MINUTE_MS;
    // Only asked what matches: it never runs, and node-cron need not remember it.
    void task.destroy();
  }

  /** The first match in (after, until], in ms since the epoch. */
  firstIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    for (let at = (Math.floor(after / step) + 1) * step; at <= until; at += step) {
      if (this.#matches(at)) return at;
    }
    return undefined;
  }

  /** The last match in (after, until], as far as a day of minutes (or so many seconds) reaches back. */
  lastIn(after: number, until: number): number | undefined {
    const step = this.#stepMs;
    const earliest = Math.max(after, until - MOST_STEPS_BACK * step);
    for (let at = Math.floor(until / step) * step; at > earliest; at -= step) {
      if (this.#matches(at)) return at;
    }
    return undefined;
  }
}

/** What a moment is made of: whole units within a cycle. */
const FIELDS = [
  { unitMs: SECOND_MS, cycleMs: MINUTE_MS },
  { unitMs: MINUTE_MS, cycleMs: HOUR_MS },
  { unitMs: HOUR_MS, cycleMs: DAY_MS },
  { unitMs: DAY_MS, cycleMs: Number.POSITIVE_INFINITY },
];

/**
 * The same answers, but each second, minute, hour and day is asked about once: node-cron formats the whole date every
 * time. A moment matches when all its fields do, so a field is asked about in a moment of which the others match.
 */
function remembered(matches: (at: number) => boolean): (at: number) => boolean {
  const fields = FIELDS.map((field) => ({ ...field, known: new Map<number, boolean>() }));
  let match: number | undefined;
  return (at) => {
    if (match === undefined) {
      if (matches(at)) match = at;
      return match !== undefined;
    }
    for (const { unitMs, cycleMs, known } of fields) {
      const value = Math.floor((at % cycleMs) / unitMs);
      const instead = Math.floor((match % cycleMs) / unitMs);
      const answer = known.get(value) ?? matches(match + (value - instead) * unitMs);
      known.set(value, answer);
      if (!answer) return false;
    }
    return true;
  };
}
