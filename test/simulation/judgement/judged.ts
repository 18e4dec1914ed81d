import type { Input } from '../../../src/rules/promql/evaluation.ts';
import { type AlertSettings, SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { Random } from '../../bench/alerts/random.ts';
import { evaluate, type FiredAlert } from '../../rules/evaluate.ts';
import { neededRules } from './needed-rules.ts';

export const MINUTE = 60_000;
export const HOUR = 60;
export const DAY = 24 * HOUR;

/** Returns the level in a minute. */
export type Level = (minute: number) => number;

/** Family of a configuration, with additional labels. */
export interface Family {
  readonly name: string;
  readonly level: Level;
  readonly configuration?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly exact?: boolean;
}

export interface Judged {
  readonly alerts: readonly string[];
  readonly families: readonly Family[];
  readonly minutes: number;
  readonly settings?: Partial<AlertSettings>;
}

/** Alert that fired, with its times in minutes. */
export interface Fired {
  readonly labels: Readonly<Record<string, string>>;
  readonly from: number;
  readonly to: number;
}

/** Evaluates the alerts of configurations over a history with normal random noise. */
export function judged({ alerts, families, minutes, settings }: Judged): readonly Fired[] {
  const files = ruleFiles({ ...SHIPPED, ...settings });
  const fired = evaluate({
    groups: neededRules(files, ...alerts).groups,
    inputs: families.map((family, index) => inputOf(family, index, minutes)),
    step: MINUTE,
    start: 0,
    steps: minutes,
  });
  return fired
    .filter(({ labels }) => labels['scope'] === 'configuration')
    .map(({ labels, from, to }: FiredAlert) => ({ labels, from: from / MINUTE, to: to / MINUTE }))
    .sort((a, b) => a.from - b.from);
}

function inputOf(
  { name, level, configuration = 'shop', labels, exact }: Family,
  seed: number,
  minutes: number,
): Input {
  const random = new Random(seed + 1);
  return {
    name,
    labels: { account: 'a', product: 'p', configuration_id: configuration, configuration, ...labels },
    values: Float64Array.from({ length: minutes }, (_, minute) => {
      const mean = level(minute);
      return exact === true ? mean : random.poisson(mean * Math.exp(0.2 * random.normal() - 0.02));
    }),
  };
}

/** Returns a level that varies through the day, with its minimum at midnight and its maximum at noon. */
export function daily(lowest: number, highest: number): Level {
  return (minute) => lowest + ((highest - lowest) * (1 - Math.cos((2 * Math.PI * minute) / DAY))) / 2;
}

/** Returns a level with amounts added from one minute to another. */
export function plus(
  level: Level,
  ...added: readonly (readonly [from: number, to: number, by: number])[]
): Level {
  return (minute) =>
    added.reduce((sum, [from, to, by]) => (minute >= from && minute < to ? sum + by : sum), level(minute));
}

/** Returns a level that is multiplied from one minute to another. */
export function times(
  level: Level,
  ...factors: readonly (readonly [from: number, to: number, by: number])[]
): Level {
  return (minute) =>
    factors.reduce(
      (value, [from, to, by]) => (minute >= from && minute < to ? value * by : value),
      level(minute),
    );
}
