const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Every time that the rules depend on, in milliseconds. */
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
  /** How long a condition must last: of a drop or a state, and of a ratio that is no emergency. */
  readonly hold: number;
  readonly holdSlow: number;
  /** How long an alert outlives its condition, so that an attack in waves is one alert. */
  readonly keepFiring: number;
  /** The windows of the burn rates: short and long of the fast, the slow and the creeping one. */
  readonly burn: Readonly<Record<BurnName, readonly [short: number, long: number]>>;
  /** Age of the newest data at which it is stale. Well above publish delay, bucket and poll interval together. */
  readonly staleData: number;
  readonly unreachable: number;
  readonly exporterDown: number;
  /** How long a state of settings or of the exporter itself must last. */
  readonly settled: number;
  readonly quotaShort: number;
  /** How long the state must refuse writes. */
  readonly stateErrors: number;
  /** How long nothing was read for a collector. Well above the interval of any; see the hold on top of it. */
  readonly unread: number;
  /** How long a change of a setting is announced. */
  readonly announced: number;
  readonly certificate: { readonly ticket: number; readonly page: number };
  /** Above a short-lived token's own renewal, which comes at 85 % of its life, this must stay unreached. */
  readonly token: { readonly ticket: number; readonly page: number };
}

export type BurnName = 'fast' | 'slow' | 'creeping';

/** Everything that decides whether an alert fires. Values of traffic are per minute. */
export interface Thresholds {
  readonly times: Times;
  readonly spike: {
    /** How many times what is usual: the seasonal median, raised as far as the last day was above its own. */
    readonly usual: number;
    /** The raise by the last day ends here: a long attack must not become what is usual. */
    readonly highestRaise: number;
    /** How many deviations of single minutes above what is usual now. */
    readonly deviations: number;
    /** In how many of the last minutes it must be so. Pauses of attacks in waves are allowed, short bursts are not. */
    readonly minutes: { readonly above: number; readonly of: number };
    /** What is below this per minute is no spike, however quiet it usually is. */
    readonly floors: Readonly<Record<SpikeFloor, number>>;
  };
  readonly drop: {
    /** Below this share of the seasonal median. */
    readonly share: number;
    readonly deviations: number;
    /** Who usually has less is not judged. */
    readonly usualRequests: number;
  };
  readonly errors5xx: {
    /** Share of the responses that may be errors. */
    readonly budget: number;
    readonly burn: Readonly<Record<BurnName, number>>;
    /** Who has less is not judged. A site may be small and fail as a whole; small shares need many requests to be believed. */
    readonly minimumRequests: Readonly<Record<BurnName, number>>;
    readonly minimumErrors: number;
  };
  readonly errors4xx: {
    readonly share: number;
    /** How many times the usual share. */
    readonly seasonal: number;
    readonly minimumRequests: number;
  };
  readonly offload: {
    /** What is lost of the usual share of requests served from the cache. */
    readonly loss: number;
    readonly minimumRequests: number;
  };
  readonly errorPageCacheSeconds: number;
  readonly quota: { readonly remaining: number; readonly stretch: number };
  /** Share of the polls that may fail for long. */
  readonly polls: { readonly failed: number };
  /** Share by which counters may be off, or of the buckets that they may lack. */
  readonly counters: { readonly tolerance: number };
}

export type SpikeFloor = 'threats' | 'blocked' | 'family' | 'requests' | 'errors';

/** The thresholds as they are shipped. */
export const THRESHOLDS: Thresholds = {
  times: {
    minute: MINUTE,
    baseline: 5 * MINUTE,
    smoothing: 5 * MINUTE,
    hour: HOUR,
    recent: 6 * HOUR,
    day: DAY,
    week: 7 * DAY,
    hold: 5 * MINUTE,
    holdSlow: 10 * MINUTE,
    keepFiring: 20 * MINUTE,
    burn: {
      fast: [5 * MINUTE, HOUR],
      slow: [30 * MINUTE, 6 * HOUR],
      creeping: [6 * HOUR, 3 * DAY],
    },
    staleData: 10 * MINUTE,
    unreachable: 5 * MINUTE,
    exporterDown: 3 * MINUTE,
    settled: 30 * MINUTE,
    quotaShort: 15 * MINUTE,
    stateErrors: 15 * MINUTE,
    unread: 2 * HOUR,
    announced: 15 * MINUTE,
    certificate: { ticket: 21 * DAY, page: 3 * DAY },
    token: { ticket: 2 * HOUR, page: 30 * MINUTE },
  },
  spike: {
    usual: 3,
    highestRaise: 4,
    deviations: 4,
    minutes: { above: 6, of: 12 },
    floors: { threats: 40, blocked: 40, family: 40, requests: 3_000, errors: 60 },
  },
  drop: { share: 0.3, deviations: 4, usualRequests: 300 },
  errors5xx: {
    budget: 0.001,
    burn: { fast: 14.4, slow: 6, creeping: 1 },
    minimumRequests: { fast: 20, slow: 20, creeping: 100 },
    minimumErrors: 5,
  },
  errors4xx: { share: 0.2, seasonal: 3, minimumRequests: 200 },
  offload: { loss: 0.3, minimumRequests: 300 },
  errorPageCacheSeconds: 300,
  quota: { remaining: 0.1, stretch: 1.5 },
  polls: { failed: 0.1 },
  counters: { tolerance: 0.01 },
};

/** The same thresholds where time runs faster: every duration multiplied, for rehearsals that cannot wait. */
export function scaled(thresholds: Thresholds, factor: number): Thresholds {
  return { ...thresholds, times: scaledTimes(thresholds.times, factor) };
}

function scaledTimes<T>(times: T, factor: number): T {
  if (typeof times === 'number') return (times * factor) as T;
  if (Array.isArray(times)) return times.map((time) => scaledTimes(time, factor)) as T;
  const entries = Object.entries(times as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, time]) => [name, scaledTimes(time, factor)])) as T;
}
