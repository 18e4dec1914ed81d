import { fraction, hash } from '../hash.ts';

/** An integer that never falls as time (ms since the epoch) goes on: everything counted up to that moment. */
export type Cumulative = (time: number) => number;

const MINUTE = 60_000;
const DAY = 1440;
const WEEK = 7 * DAY;
const SLOW_STEP = 37;
/** Counted from here, so that the totals of the largest series stay exact in a double. */
const ORIGIN = Date.UTC(2020, 0, 1) / MINUTE;

/** Amplitudes of the rate around its mean of 1. Together below 1: the rate never falls below zero. */
const DAILY = 0.45;
const HALF_DAILY = 0.1;
const WEEKLY = 0.15;
const SLOW_NOISE = 0.12;
const MINUTE_NOISE = 0.15;

/**
 * Traffic of `perMinute` on average, with a daily and a weekly pattern and noise. It is a closed form: a bucket of any
 * width is the difference of two calls, so that buckets of different widths always add up to the same.
 */
export function curve(key: number, perMinute: number): Cumulative {
  if (perMinute <= 0) return () => 0;
  const evening = 2 * Math.PI * (fraction(key, 1) * 0.2 + 0.55);
  const weekend = 2 * Math.PI * fraction(key, 2);
  const fast = hash(key, 3);
  const slow = hash(key, 4);
  return (time) => {
    const minutes = time / MINUTE - ORIGIN;
    const shaped =
      minutes +
      swing(minutes, DAY, DAILY, evening) +
      swing(minutes, DAY / 2, HALF_DAILY, weekend) +
      swing(minutes, WEEK, WEEKLY, weekend);
    const noise =
      MINUTE_NOISE * ramp(fast, minutes) + SLOW_NOISE * SLOW_STEP * ramp(slow, minutes / SLOW_STEP);
    return Math.floor(perMinute * (shaped + noise));
  };
}

/** The integral of a sine of this period (minutes) and amplitude. */
function swing(minutes: number, period: number, amplitude: number, phase: number): number {
  const turn = (2 * Math.PI) / period;
  return (-amplitude / turn) * Math.cos((minutes % period) * turn - phase);
}

/** Noise between 0 and 1, a straight line between whole positions. */
function ramp(key: number, position: number): number {
  const whole = Math.floor(position);
  const left = fraction(key, whole);
  return left + (position - whole) * (fraction(key, whole + 1) - left);
}
