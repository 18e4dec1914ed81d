import { ThresholdsConfigBuilder, ThresholdsMode } from '@grafana/grafana-foundation-sdk/dashboard';
import { COLOURS } from './colours.ts';

/** Colours by value: from each `from` on; the first has none. */
export type Steps = readonly (readonly [from: number | null, colour: string])[];

function rising(notice: number, bad: number): Steps {
  return [
    [null, COLOURS.good],
    [notice, COLOURS.notice],
    [bad, COLOURS.bad],
  ];
}

function falling(bad: number, notice: number): Steps {
  return [
    [null, COLOURS.bad],
    [bad, COLOURS.notice],
    [notice, COLOURS.good],
  ];
}

/** From which values on an operator should look: one place for all panels. */
export const LIMITS = {
  none: [[null, COLOURS.neutral]],
  serverErrors: rising(0.01, 0.05),
  clientErrors: rising(0.1, 0.25),
  offload: falling(0.3, 0.6),
  /** Times the usual threats. */
  surge: rising(2, 3),
  /** Seconds since the end of the newest bucket shown. */
  dataAge: rising(360, 840),
  /** Times the age to be expected; older than 1.5 times that, and than ten minutes, is stale to the alerts. */
  dataAgeToExpected: rising(1, 1.5),
  /** Seconds since the moment up to which everything is counted: the settle delay, and what waits for missing buckets. */
  countedAge: rising(1_500, 2_700),
  /** Seconds; the settle delay, unless configured otherwise. */
  restatementAge: [
    [null, COLOURS.good],
    [600, COLOURS.bad],
  ],
  quotaLeft: falling(0.05, 0.15),
  stretch: rising(1.2, 2),
  failedPolls: rising(0.01, 0.1),
  anyIsBad: [
    [null, COLOURS.good],
    [1, COLOURS.bad],
  ],
  mustBeOne: [
    [null, COLOURS.bad],
    [1, COLOURS.good],
  ],
  /** Of what may be off on purpose. */
  shouldBeOne: [
    [null, COLOURS.notice],
    [1, COLOURS.good],
  ],
  /** How soon somebody has to act: wait, soon, now. */
  urgency: [
    [null, COLOURS.neutral],
    [1, COLOURS.notice],
    [2, COLOURS.bad],
  ],
  letThrough: rising(0.1, 0.5),
  eventLoopLag: rising(0.1, 0.5),
  errorPageCache: rising(60, 600),
} as const satisfies Readonly<Record<string, Steps>>;

/** Limits of seconds for values in minutes. */
export function inMinutes(steps: Steps): Steps {
  return steps.map(([from, colour]) => [from === null ? null : from / 60, colour]);
}

/** Steps as Grafana takes them. */
export function thresholds(steps: Steps): ThresholdsConfigBuilder {
  const entries = steps.map(([value, color]) => ({ value, color }));
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(entries);
}
