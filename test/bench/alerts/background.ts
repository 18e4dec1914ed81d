import type { Random } from './random.ts';

export const HOUR = 60;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

/** Traffic pattern of an account or configuration without events. Times are in minutes. */
export interface Character {
  readonly level: number;
  readonly daily: number;
  readonly halfDaily: number;
  readonly phase: number;
  readonly weekend: number;
  readonly trendPerDay: number;
  /** Relative size of the noise that lasts for hours, for minutes, and for a single minute. */
  readonly slow: number;
  readonly fast: number;
  readonly minute: number;
}

/** Temporary or permanent change of the traffic level. */
export interface Shift {
  readonly from: number;
  readonly to: number;
  readonly factor: number;
  /** Minutes in which the change grows at its start and fades at its end. */
  readonly ramp: number;
}

/** Draws the daily pattern of an account, which its configurations share. */
export function drawCharacter(random: Random, level: number): Character {
  return {
    level,
    daily: random.between(0.15, 0.75),
    halfDaily: random.between(0, 0.2),
    phase: random.between(0, DAY),
    weekend: random.logBetween(0.35, 1.4),
    trendPerDay: 0.006 * random.normal(),
    slow: random.between(0.05, 0.25),
    fast: random.between(0.05, 0.3),
    minute: random.between(0.05, 0.4),
  };
}

/** Returns the expected value of each minute: season, trend and shifts, without noise. */
export function expected(character: Character, shifts: readonly Shift[], minutes: number): Float64Array {
  const values = Float64Array.from({ length: minutes }, (_, minute) => seasonal(character, minute));
  for (const shift of shifts) {
    const until = Math.min(minutes, shift.to + shift.ramp);
    for (let minute = Math.max(0, shift.from); minute < until; minute++) {
      values[minute] = (values[minute] ?? 0) * shift.factor ** presence(shift, minute);
    }
  }
  return values;
}

function seasonal(
  { level, daily, halfDaily, phase, weekend, trendPerDay }: Character,
  minute: number,
): number {
  const turn = (2 * Math.PI * (minute - phase)) / DAY;
  const day = Math.max(0.03, 1 + daily * Math.cos(turn) + halfDaily * Math.cos(2 * turn + 1));
  return level * day * weekendFactor(weekend, minute) * Math.exp((trendPerDay * minute) / DAY);
}

function weekendFactor(weekend: number, minute: number): number {
  const hours = (minute % WEEK) / HOUR;
  const into = Math.min(1, Math.max(0, (hours - 5 * 24 + 3) / 6));
  const out = Math.min(1, Math.max(0, (hours - 7 * 24 + 6) / 6));
  return weekend ** (into * (1 - out));
}

function presence({ from, to, ramp }: Shift, minute: number): number {
  if (ramp === 0) return 1;
  return Math.min(1, (minute - from) / ramp, Math.max(0, (to + ramp - minute) / ramp));
}

/**
 * Returns the counts of each minute: the expected value with noise of three lengths, drawn from a Poisson
 * distribution.
 */
export function drawCounts(
  random: Random,
  { slow, fast, minute: single }: Character,
  mean: Float64Array,
): Float64Array {
  let long = random.normal();
  let short = random.normal();
  return mean.map((value) => {
    long = persist(random, long, 180);
    short = persist(random, short, 6);
    const exponent = slow * long + fast * short + single * random.normal();
    const spread = slow ** 2 + fast ** 2 + single ** 2;
    return random.poisson(value * Math.exp(exponent - spread / 2));
  });
}

function persist(random: Random, value: number, minutes: number): number {
  const kept = Math.exp(-1 / minutes);
  return kept * value + Math.sqrt(1 - kept ** 2) * random.normal();
}

/** Returns the standard deviation of a minute's count around its expected value. */
export function usualDeviation({ slow, fast, minute }: Character, mean: number): number {
  return Math.sqrt(mean + (Math.exp(slow ** 2 + fast ** 2 + minute ** 2) - 1) * mean ** 2);
}
