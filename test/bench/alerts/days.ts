import { DAY, HOUR } from './background.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';

/** Daily pattern of a site by hour, with sudden or gradual changes. */
export interface Days {
  /** Mean number of requests per minute. */
  readonly level: number;
  /** Factors of the 24 hours, around 1. */
  readonly hours: readonly number[];
  readonly steep: boolean;
  readonly weekend: number;
  /** Share of the requests that the WAF detects, and share of the responses with status 503. */
  readonly threats: number;
  readonly errors: number;
  /** Holidays, with the factor of their traffic. */
  readonly holidays?: ReadonlyMap<number, number>;
  /** Change of the local clock: from this day on, the daily pattern is this many minutes later. */
  readonly clock?: { readonly day: number; readonly minutes: number };
}

export function drawDays(random: Random, low: number, high: number, more: Partial<Days> = {}): Days {
  // A random walk through the hours makes adjacent hours similar. Traffic at night is a tenth to a half of
  // the traffic by day.
  const night = random.between(0.1, 0.5);
  const begins = Math.round(random.between(5, 10));
  const lasts = Math.round(random.between(9, 16));
  const hours = Array.from({ length: 24 }, (_, hour) => {
    const awake = (hour - begins + 24) % 24 < lasts;
    return (awake ? 1.4 : 1.4 * night) * random.between(0.85, 1.15);
  });
  return {
    level: random.logBetween(low, high),
    hours,
    steep: false,
    weekend: random.pick([0.5, 0.8, 1, 1, 1.2]),
    threats: random.logBetween(0.0005, 0.01),
    errors: random.logBetween(0.00002, 0.0003),
    ...more,
  };
}

function factorAt({ hours, steep, weekend, holidays }: Days, minute: number, shift: number): number {
  const day = Math.floor(minute / DAY);
  const at = (minute - shift + DAY) % DAY;
  const hour = Math.floor(at / HOUR);
  const [now, next] = [hours[hour] ?? 1, hours[(hour + 1) % 24] ?? 1];
  const level = steep ? now : now + ((next - now) * (at % HOUR)) / HOUR;
  return level * (day % 7 >= 5 ? weekend : 1) * (holidays?.get(day) ?? 1);
}

function clockShift({ clock }: Days, day: number): number {
  return clock !== undefined && day >= clock.day ? clock.minutes : 0;
}

/** Draws a configuration with this daily pattern and without events. */
export function drawSite(random: Random, name: string, days: Days, minutes: number): Site {
  let slow = random.normal();
  let fast = random.normal();
  let shift = 0;
  const usual = Float64Array.from({ length: minutes }, (_, minute) => {
    if (minute % DAY === 0) shift = Math.round(random.between(-4, 4)) + clockShift(days, minute / DAY);
    return days.level * factorAt(days, minute, shift);
  });
  const requests = usual.map((mean) => {
    slow += (random.normal() - slow * 0.05) * 0.1;
    fast += (random.normal() - fast) * 0.25;
    return random.poisson(mean * Math.exp(0.06 * slow + 0.12 * fast));
  });
  const part = (share: number): Float64Array => requests.map((value) => random.poisson(value * share));
  const threats = part(days.threats);
  const blocked = random.between(0.6, 1);
  return {
    name,
    requests,
    threats,
    blocked: threats.map((value) => Math.round(value * blocked)),
    sql: threats.map((value) => Math.round(value * 0.4)),
    missed: part(random.between(0.1, 0.3)),
    codes: {
      '401': part(0.002),
      '403': threats.map((value) => Math.round(value * blocked)),
      '404': part(random.logBetween(0.003, 0.03)),
      '429': new Float64Array(minutes),
      '503': part(days.errors),
    },
    usual: { requests: usual, threats: usual.map((value) => value * days.threats) },
  };
}
