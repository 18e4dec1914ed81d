export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Times of the shipped rules, in milliseconds. `alert-catalogue.ts` has the times that users may choose. */
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
  /** Spike: number of minutes above the threshold, of the last `of`. `joins` applies if another configuration is attacked. */
  spike: { of: 12 * MINUTE, begins: 6 * MINUTE, joins: 3 * MINUTE, rises: 3 * MINUTE },
  /** Time without a minute above the threshold after which a spike ends. */
  quiet: 4 * MINUTE,
  /** Time without such a minute after which pulses end, which are a ticket. A pulse has 4 of every 15 minutes. */
  lull: 12 * MINUTE,
  /** Length of each of the four spans of slow growth. */
  growing: 30 * MINUTE,
  /** Time without a spike after which the next one is a separate one. */
  apart: 70 * MINUTE,
  /** Time after the page of an attack during which its remains are not a ticket. */
  remains: 3 * HOUR,
  /** `for` of a ticket for the mean of an hour, because slow growth pages by then. */
  holdHour: 15 * MINUTE,
  /** `keep_firing_for` of a ticket of traffic, so that recurring causes are one ticket. */
  keepTicket: 2 * HOUR,
  /** `for` of a dead site, in addition to the window of the mean. */
  holdDead: 10 * MINUTE,
  /** Distance around a time of day for the lowest hour of a week: clocks change, and opening times differ by minutes. */
  around: 130 * MINUTE,
  /** Distance for a ticket, whose share is nearer to the baseline. */
  near: 60 * MINUTE,
  /** `for` of a state. */
  hold: 5 * MINUTE,
  /** Extra `for` of tickets: the page of the same cause fires first and inhibits them. */
  holdTicket: 10 * MINUTE,
  /** Extra `for` of an account: its configurations fire first. */
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
  /** Time without data, before the `for`, of an account that never had any. */
  unseen: 10 * MINUTE,
  exporterDown: 3 * MINUTE,
  /** `for` of a state of settings or of the exporter. */
  settled: 30 * MINUTE,
  quotaShort: 15 * MINUTE,
  /** Time for which the state must refuse writes. */
  stateErrors: 15 * MINUTE,
  /** Time without a request to a receiver while samples are queued: longer than any `Retry-After` that is honoured. */
  unasked: 15 * MINUTE,
  /** Time without a read for a collector, before the `for`: well above any interval. */
  unread: 2 * HOUR,
  /** Time for which a changed setting alerts. */
  announced: 15 * MINUTE,
};

export type Times = typeof TIMES;
