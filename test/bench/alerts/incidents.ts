import { DAY, WEEK } from './background.ts';
import type { Random } from './random.ts';

export const SHAPES = ['flat', 'ramp', 'decay', 'waves', 'slow rise', 'ragged'] as const;
export type Shape = (typeof SHAPES)[number];

/** Something that was added to the traffic, and is known to have been. Times are in minutes. */
export interface Incident {
  readonly shape: Shape;
  readonly from: number;
  readonly minutes: number;
  /** What is added: per minute of threats, or the share of requests that fail. */
  readonly added: Float64Array;
}

/** How an incident goes over its time: shares of its peak, 0 to 1. */
export function drawShape(random: Random, shape: Shape, minutes: number): Float64Array {
  const on = Math.round(random.between(2, 5));
  const off = Math.round(random.between(1, 3));
  return Float64Array.from({ length: minutes }, (_, minute) => {
    switch (shape) {
      case 'flat':
        return random.between(0.85, 1);
      case 'ramp':
        return Math.min(1, (minute + 1) / Math.min(20, minutes / 2));
      case 'decay':
        return Math.exp((-2.5 * minute) / minutes);
      case 'waves':
        return minute % (on + off) < on ? 1 : 0;
      case 'slow rise':
        return (minute + 1) / minutes;
      case 'ragged':
        return random.between(0.2, 1);
    }
  });
}

/** Moments at a rate per week, at least `apart` minutes from each other. */
export function drawMoments(random: Random, perWeek: number, minutes: number, apart: number): number[] {
  const moments: number[] = [];
  let at = 0;
  for (;;) {
    at += Math.ceil(Math.max(apart, (-Math.log(1 - random.fraction()) * WEEK) / perWeek));
    if (at >= minutes - DAY / 2) return moments;
    moments.push(at);
  }
}

/** An incident of any shape, of 6 minutes to 8 hours, that reaches `peak`. */
export function drawIncident(random: Random, from: number, peak: number): Incident {
  const shape = random.pick(SHAPES);
  const shortest = shape === 'slow rise' ? 60 : 6;
  const minutes = Math.round(random.logBetween(shortest, 8 * 60));
  const added = drawShape(random, shape, minutes).map((share) => share * peak);
  return { shape, from, minutes, added };
}

/** What scanners and restarts do every few days, and nobody calls an incident: one to three minutes. */
export function drawBlips(random: Random, perWeek: number, minutes: number, peak: () => number): Incident[] {
  return drawMoments(random, perWeek, minutes, 30).map((from) => {
    const length = Math.round(random.between(0.5, 3.5));
    const height = peak();
    const added = Float64Array.from({ length }, () => height * random.between(0.3, 1));
    return { shape: 'flat', from, minutes: length, added };
  });
}
