export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Times of the shipped rules: milliseconds. `alert-catalogue.ts` has the times that users may choose. */
export const TIMES = {
  /** Interval of values and alerts: the width of the platform's finest bucket. */
  minute: MINUTE,
  /** Interval of baselines. */
  baseline: 5 * MINUTE,
  /** Window of a current value. */
  smoothing: 5 * MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  /**
   * Spike: number of minutes above the threshold, of the last `of`. `joins` applies if another configuration is attacked.
   */
  spike: { of: 12 * MINUTE, begins: 6 * MINUTE, joins: 3 * MINUTE, rises: 3 * MINUTE },
  /** A spike ends after this time without a minute above the threshold. */
  quiet: 4 * MINUTE,
  /** The same for pulses, which are a ticket: 4 of every 15 minutes are one. */
  lull: 12 * MINUTE,
  /** Length of each of the four spans of slow growth. */
  growing: 30 * MINUTE,
  /** After this time without a spike, the next one is another. */
  apart: 70 * MINUTE,
  /** After the page of an attack, its remains are no ticket for this time. */
  remains: 3 * HOUR,
  /** Hold of a ticket for the mean of an hour: slow growth pages by then. */
  holdHour: 15 * MINUTE,
  /** `keep_firing_for` of a ticket of traffic, so that causes that come and go are one ticket. */
  keepTicket: 2 * HOUR,
  /** Hold of a dead site, beyond the window of the mean. */
  holdDead: 10 * MINUTE,
  /** Distance around a moment for the lowest hour of a week: clocks change, and openings differ by minutes. */
  around: 130 * MINUTE,
  /** The same for a ticket: its share is nearer to the usual. */
  near: 60 * MINUTE,
  /** Hold of a state. */
  hold: 5 * MINUTE,
  /** Extra hold of tickets: the page of the same cause comes first and inhibits them. */
  holdTicket: 10 * MINUTE,
  /** Extra hold of an account: its configurations come first. */
  holdAccount: 4 * MINUTE,
  /** `keep_firing_for` of a page, so that an attack in waves is one alert. */
  keepFiring: 10 * MINUTE,
  /** Windows of the burn rates: short and long for fast, slow and creeping. */
  burn: {
    fast: [5 * MINUTE, 30 * MINUTE] as const,
    slow: [30 * MINUTE, 6 * HOUR] as const,
    creeping: [6 * HOUR, 3 * DAY] as const,
  },
  /** Window in which a small site's failures are counted. */
  broken: 15 * MINUTE,
  unreachable: 5 * MINUTE,
  /** Time without data, before the hold, of an account that never had any. */
  unseen: 10 * MINUTE,
  exporterDown: 3 * MINUTE,
  /** Hold of a state of settings or of the exporter. */
  settled: 30 * MINUTE,
  quotaShort: 15 * MINUTE,
  /** Time for which the state must refuse writes. */
  stateErrors: 15 * MINUTE,
  /** Time without a request to a receiver while samples wait: longer than any `Retry-After` that is honoured. */
  unasked: 15 * MINUTE,
  /** Time without a read for a collector, before the hold: well above any interval. */
  unread: 2 * HOUR,
  /** Time for which a changed setting alerts. */
  announced: 15 * MINUTE,
};

export type Times = typeof TIMES;
