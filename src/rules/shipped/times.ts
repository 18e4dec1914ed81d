export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Every time that the rules are built with, as they are shipped: milliseconds. What users may choose is in `alert-catalogue.ts`. */
export const TIMES = {
  /** How often values are recorded and alerts are judged: the width of the platform's finest bucket. */
  minute: MINUTE,
  /** How often baselines are recorded. */
  baseline: 5 * MINUTE,
  /** What a current value is the mean of. */
  smoothing: 5 * MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  /**
   * In how many of the last minutes it must be above the threshold, in how many where another configuration is attacked, and
   * in how many threats rise with a flood.
   */
  spike: { of: 12 * MINUTE, begins: 6 * MINUTE, joins: 3 * MINUTE, rises: 3 * MINUTE },
  /** A spike is over when no minute was above the threshold for so long. */
  quiet: 4 * MINUTE,
  /** The same of pulses, which are a ticket: 4 of every 15 minutes are one. */
  lull: 12 * MINUTE,
  /** What grows slowly is looked at in four spans of this length. */
  growing: 30 * MINUTE,
  /** After so long without a spike the next one is another. */
  apart: 70 * MINUTE,
  /** After an attack that was paged, what is left of it is no ticket for so long: it may be hours until it is over. */
  remains: 3 * HOUR,
  /** How long the mean of an hour must be too much to be a ticket: what rises slowly is a page by then. */
  holdHour: 15 * MINUTE,
  /** How long a ticket of traffic outlives its condition, so that what comes and goes is one. */
  keepTicket: 2 * HOUR,
  /** How long a site must be dead, beyond the mean of the last minutes. */
  holdDead: 10 * MINUTE,
  /** How far around a moment the lowest hour of a week is looked for: a clock may change, and openings are not to the minute. */
  around: 130 * MINUTE,
  /** The same for a ticket: its share is nearer to the usual. */
  near: 45 * MINUTE,
  /** How long a condition must last: of a state. */
  hold: 5 * MINUTE,
  /** How much longer tickets wait: the page of the same cause comes first, and inhibits them. */
  holdTicket: 10 * MINUTE,
  /** How much longer an account waits than its configurations, which say more. */
  holdAccount: 4 * MINUTE,
  /** How long an alert outlives its condition, so that an attack in waves is one alert. */
  keepFiring: 10 * MINUTE,
  /** The windows of the burn rates: short and long of the fast, the slow and the creeping one. */
  burn: {
    fast: [5 * MINUTE, 30 * MINUTE] as const,
    slow: [30 * MINUTE, 6 * HOUR] as const,
    creeping: [6 * HOUR, 3 * DAY] as const,
  },
  /** The window in which a small site's failures are counted. */
  broken: 15 * MINUTE,
  unreachable: 5 * MINUTE,
  /** How long an account that never had data must be without any, before the hold. */
  unseen: 10 * MINUTE,
  exporterDown: 3 * MINUTE,
  /** How long a state of settings or of the exporter itself must last. */
  settled: 30 * MINUTE,
  quotaShort: 15 * MINUTE,
  /** How long the state must refuse writes. */
  stateErrors: 15 * MINUTE,
  /** How long a receiver is not asked although samples wait: longer than any receiver may ask to be left alone. */
  unasked: 15 * MINUTE,
  /** How long nothing was read for a collector. Well above the interval of any; see the hold on top of it. */
  unread: 2 * HOUR,
  /** How long a change of a setting is announced. */
  announced: 15 * MINUTE,
};

export type Times = typeof TIMES;
