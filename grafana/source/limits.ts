import { ThresholdsConfigBuilder, ThresholdsMode } from '@grafana/grafana-foundation-sdk/dashboard';
import { COLOURS } from './colours.ts';

/** Colours by value, each for values of at least `from`. The first colour has no `from`. */
export type Steps = readonly (readonly [from: number | null, colour: string])[];

function steps(first: string, ...others: (readonly [from: number, colour: string])[]): Steps {
  return [[null, first], ...others];
}

const { good, notice, bad, neutral } = COLOURS;

const rising = (doubtful: number, wrong: number) => steps(good, [doubtful, notice], [wrong, bad]);
const falling = (wrong: number, doubtful: number) => steps(bad, [wrong, notice], [doubtful, good]);

/** Thresholds of all panels. From the first threshold on, an operator should check the value. */
export const LIMITS = {
  none: steps(neutral),
  serverErrors: rising(0.01, 0.05),
  clientErrors: rising(0.1, 0.25),
  offload: falling(0.3, 0.6),
  /** Ratio of threats to the usual number. */
  surge: rising(2, 3),
  /** Seconds since the end of the newest exposed bucket. */
  dataAge: rising(360, 840),
  /**
   * Ratio of the data's age to the expected age. The alerts treat data as stale above 1.5 and ten minutes.
   */
  dataAgeToExpected: rising(1, 1.5),
  /** Seconds since the last counted bucket. Includes the settle delay and the wait for missing buckets. */
  countedAge: rising(1_500, 2_700),
  /** Seconds; the threshold is the default settle delay. */
  restatementAge: steps(good, [600, bad]),
  quotaLeft: falling(0.05, 0.15),
  stretch: rising(1.2, 2),
  failedPolls: rising(0.01, 0.1),
  anyIsBad: steps(good, [1, bad]),
  mustBeOne: steps(bad, [1, good]),
  shouldBeOne: steps(notice, [1, good]),
  urgency: steps(neutral, [1, notice], [2, bad]),
  letThrough: rising(0.1, 0.5),
  eventLoopLag: rising(0.1, 0.5),
  errorPageCache: rising(60, 600),
} as const satisfies Readonly<Record<string, Steps>>;

/** Returns thresholds in minutes from thresholds in seconds. */
export function inMinutes(steps: Steps): Steps {
  return steps.map(([from, colour]) => [from === null ? null : from / 60, colour]);
}

/** Returns the thresholds as Grafana's builder expects them. */
export function thresholds(steps: Steps): ThresholdsConfigBuilder {
  const entries = steps.map(([value, color]) => ({ value, color }));
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(entries);
}
