import { createTask } from 'node-cron';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a field of a pattern names: numbers, and of days also words such as `L` for the last of the month. */
type Field = readonly (number | string)[];

/** Seconds, minutes, hours, days of the month, months from 1, days of the week from Sunday, 0. */
type Fields = readonly [Field, Field, Field, Field, Field, Field];

/** What node-cron makes of a pattern, as far as its types leave it out. */
interface ReadPattern {
  readonly timeMatcher: { readonly expressions: Fields };
}

/** By pattern: node-cron remembers what it has read, and to have it forget would format a date. */
const read = new Map<string, Fields>();

function fieldsOf(pattern: string): Fields {
  const known = read.get(pattern);
  if (known !== undefined) return known;
  const task: unknown = createTask(pattern, () => undefined);
  const fields = (task as ReadPattern).timeMatcher.expressions;
  read.set(pattern, fields);
  return fields;
}

/** Tells that a pattern names both days of the month and days of the week: neither field begins with `*`, in crontab(5)'s words. */
function namesBothDays(pattern: string): boolean {
  const [days, , weekdays] = pattern.trim().split(/\s+/).slice(-3);
  return [days, weekdays].every((field) => field !== undefined && !/^[*?@]/.test(field));
}

/**
 * A cron pattern in UTC: which moments match it. node-cron reads it, so that there is no second reading of patterns. Which
 * moments match is decided here: node-cron formats each of them for a time zone, which takes a tenth of a start and 3 MB.
 * Of days of the month and days of the week that are both named, either matches, as crontab(5) says; node-cron wants both.
 */
export class CronPattern {
  readonly #fields: Fields;
  readonly #eitherDay: boolean;
  /** Ascending. */
  readonly #seconds: readonly number[];
  readonly #minutes: readonly number[];
  readonly #hours: readonly number[];
  /** The day (ms since the epoch) that was looked at last, and whether it matches: each minute is of the same as the one before. */
  #lookedAt = { day: Number.NaN, isOn: false };

  /** @throws when the pattern is not one */
  constructor(pattern: string) {
    this.#fields = fieldsOf(pattern);
    this.#eitherDay = namesBothDays(pattern);
    const [seconds, minutes, hours] = this.#fields;
    [this.#seconds, this.#minutes, this.#hours] = [ascending(seconds), ascending(minutes), ascending(hours)];
  }

  /** The matches in (after, until], in ms since the epoch, one after another. */
  *within(after: number, until: number): Generator<number, void> {
    for (let day = Math.floor(after / DAY_MS) * DAY_MS; day <= until; day += DAY_MS) {
      if (!this.#isOn(day)) continue;
      for (const at of this.#momentsOf(day, after)) {
        if (at > until) return;
        yield at;
      }
    }
  }

  /** The first match in (after, until], in ms since the epoch. */
  firstIn(after: number, until: number): number | undefined {
    const [first] = this.within(after, until);
    return first;
  }

  /** The last match in (after, until], as far as a day reaches back. */
  lastIn(after: number, until: number): number | undefined {
    return [...this.within(Math.max(after, until - DAY_MS), until)].at(-1);
  }

  *#momentsOf(day: number, after: number): Generator<number, void> {
    for (const hour of this.#hours) {
      const hourAt = day + hour * HOUR_MS;
      if (hourAt + HOUR_MS <= after) continue;
      for (const minute of this.#minutes) {
        const minuteAt = hourAt + minute * MINUTE_MS;
        if (minuteAt + MINUTE_MS <= after) continue;
        for (const second of this.#seconds) {
          const at = minuteAt + second * SECOND_MS;
          if (at > after) yield at;
        }
      }
    }
  }

  #isOn(day: number): boolean {
    if (this.#lookedAt.day !== day) this.#lookedAt = { day, isOn: this.#matches(new Date(day)) };
    return this.#lookedAt.isOn;
  }

  #matches(date: Date): boolean {
    const [, , , days, months, weekdays] = this.#fields;
    if (!months.includes(date.getUTCMonth() + 1)) return false;
    const isDay = days.some((day) => isDayOfMonth(day, date));
    const isWeekday = weekdays.some((weekday) => isDayOfWeek(weekday, date));
    return this.#eitherDay ? isDay || isWeekday : isDay && isWeekday;
  }
}

function ascending(field: Field): number[] {
  return field.map(Number).sort((a, b) => a - b);
}

/** @param named a number, or `L` for the last day, `L-3` for three days earlier, `15W` or `LW` for the weekday nearest to it */
function isDayOfMonth(named: number | string, date: Date): boolean {
  const [, from, back = 0, nearest] = /^(L|\d+)(?:-(\d+))?(W?)$/.exec(String(named)) ?? [];
  const last = lastDayOf(date);
  const day = from === 'L' ? last - Number(back) : Number(from);
  return date.getUTCDate() === (nearest === 'W' ? nearestWeekday(day, last, date) : day);
}

/** The day from Monday to Friday that is nearest to a day and in its month. */
function nearestWeekday(day: number, last: number, date: Date): number | undefined {
  if (day > last) return undefined;
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day === 1 ? day + 2 : day - 1;
  if (weekday === 0) return day === last ? day - 2 : day + 1;
  return day;
}

/** @param named a number, or `5L` for the last Friday of the month, `5#2` for the second */
function isDayOfWeek(named: number | string, date: Date): boolean {
  const [, weekday, last, nth] = /^(\d)(L?)(?:#(\d))?$/i.exec(String(named)) ?? [];
  const day = date.getUTCDate();
  if (date.getUTCDay() !== Number(weekday) % 7) return false;
  if (last !== '') return day + 7 > lastDayOf(date);
  return nth === undefined || Math.ceil(day / 7) === Number(nth);
}

function lastDayOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
