const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Every time that the rules are built with, in milliseconds. What users may choose is in `alert-catalogue.ts`. */
export interface Times {
  /** How often values are recorded and alerts are judged: the width of the platform's finest bucket. */
  readonly minute: number;
  /** How often baselines are recorded. */
  readonly baseline: number;
  /** What a current value is the mean of. */
  readonly smoothing: number;
  readonly hour: number;
  /** How far back the noise of the minutes is looked at. */
  readonly recent: number;
  readonly day: number;
  readonly week: number;
  /**
   * In how many of the last minutes it must be above the threshold, in how many where another configuration is attacked, and
   * in how many threats rise with a flood.
   */
  readonly spike: {
    readonly of: number;
    readonly begins: number;
    readonly joins: number;
    readonly rises: number;
  };
  /** A spike is over when no minute was above the threshold for so long. */
  readonly quiet: number;
  /** The same of pulses, which are a ticket: 4 of every 15 minutes are one. */
  readonly lull: number;
  /** What grows slowly is looked at in four spans of this length. */
  readonly growing: number;
  /** After so long without a spike the next one is another. */
  readonly apart: number;
  /** How long a condition must last: of a drop or a state. */
  readonly hold: number;
  /** How much longer tickets wait: the page of the same cause comes first, and inhibits them. */
  readonly holdTicket: number;
  /** How much longer an account waits than its configurations, which say more. */
  readonly holdAccount: number;
  /** How long an alert outlives its condition, so that an attack in waves is one alert. */
  readonly keepFiring: number;
  /** The same after a lull, so that nothing outlives its cause by more than 15 minutes. */
  readonly keepAfterLull: number;
  /** The windows of the burn rates: short and long of the fast, the slow and the creeping one. */
  readonly burn: Readonly<Record<BurnName, readonly [short: number, long: number]>>;
  readonly unreachable: number;
  readonly exporterDown: number;
  /** How long a state of settings or of the exporter itself must last. */
  readonly settled: number;
  readonly quotaShort: number;
  /** How long the state must refuse writes. */
  readonly stateErrors: number;
  /** How long a receiver is not asked although samples wait: longer than any receiver may ask to be left alone. */
  readonly unasked: number;
  /** How long nothing was read for a collector. Well above the interval of any; see the hold on top of it. */
  readonly unread: number;
  /** How long a change of a setting is announced. */
  readonly announced: number;
}

export type BurnName = 'fast' | 'slow' | 'creeping';

/** The times as they are shipped. */
export const TIMES: Times = {
  minute: MINUTE,
  baseline: 5 * MINUTE,
  smoothing: 5 * MINUTE,
  hour: HOUR,
  recent: 6 * HOUR,
  day: DAY,
  week: 7 * DAY,
  spike: { of: 12 * MINUTE, begins: 6 * MINUTE, joins: 3 * MINUTE, rises: 3 * MINUTE },
  quiet: 4 * MINUTE,
  lull: 12 * MINUTE,
  growing: 30 * MINUTE,
  apart: 70 * MINUTE,
  hold: 5 * MINUTE,
  holdTicket: 10 * MINUTE,
  holdAccount: 4 * MINUTE,
  keepFiring: 10 * MINUTE,
  keepAfterLull: 3 * MINUTE,
  burn: {
    fast: [5 * MINUTE, 30 * MINUTE],
    slow: [30 * MINUTE, 6 * HOUR],
    creeping: [6 * HOUR, 3 * DAY],
  },
  unreachable: 5 * MINUTE,
  exporterDown: 3 * MINUTE,
  settled: 30 * MINUTE,
  quotaShort: 15 * MINUTE,
  stateErrors: 15 * MINUTE,
  unasked: 15 * MINUTE,
  unread: 2 * HOUR,
  announced: 15 * MINUTE,
};

/** The same times where time runs faster: every duration multiplied, for rehearsals that cannot wait. */
export function scaled<T>(times: T, factor: number): T {
  if (typeof times === 'number') return (times * factor) as T;
  if (Array.isArray(times)) return times.map((time) => scaled(time, factor)) as T;
  const entries = Object.entries(times as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, time]) => [name, scaled(time, factor)])) as T;
}
