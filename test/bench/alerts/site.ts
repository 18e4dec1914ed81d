import { type Character, DAY, drawCharacter, drawCounts, expected, HOUR, type Shift } from './background.ts';
import type { Random } from './random.ts';

/** Configuration with its usual traffic and its traffic by minute. */
export interface Site {
  readonly name: string;
  readonly requests: Float64Array;
  readonly threats: Float64Array;
  readonly blocked: Float64Array;
  readonly sql: Float64Array;
  readonly missed: Float64Array;
  readonly codes: Readonly<Record<Code, Float64Array>>;
  /** Time (s) of the last change of the WAF's rule set, by minute; undefined if it is unknown. */
  readonly ruleSetChanged?: Float64Array;
  readonly usual: { readonly requests: Float64Array; readonly threats: Float64Array };
}

export const CODES = ['401', '403', '404', '429', '503'] as const;
export type Code = (typeof CODES)[number];

export interface SiteOptions {
  readonly name: string;
  readonly days: Character;
  /** Mean requests and threats per minute. */
  readonly level: number;
  readonly threats: number;
  readonly minutes: number;
  readonly shifts: readonly Shift[];
}

/** Draws a configuration without events. */
export function drawSite(random: Random, { name, days, level, threats, minutes, shifts }: SiteOptions): Site {
  const character = { ...days, ...noise(random), level };
  const usualRequests = expected(character, shifts, minutes);
  const requests = drawCounts(random, character, usualRequests);
  const awake = random.fraction();
  const ofThreats: Character = {
    ...drawCharacter(random, threats),
    phase: days.phase,
    weekend: days.weekend ** awake,
    daily: days.daily * random.between(0.2, 1),
  };
  const along = shifts.map((shift) => ({ ...shift, factor: shift.factor ** awake }));
  const usualThreats = expected(ofThreats, [...along, ...drawDeployments(random, minutes)], minutes);
  const counted = drawCounts(random, ofThreats, usualThreats);
  const blockedShare = random.between(0.5, 1);
  const share = (part: number): Float64Array => requests.map((value) => random.poisson(value * part));
  return {
    name,
    requests,
    threats: counted,
    blocked: counted.map((value) => Math.round(value * blockedShare)),
    sql: counted.map((value) => Math.round(value * 0.4)),
    missed: requests.map((value) => Math.round(value * random.between(0.1, 0.3))),
    codes: {
      '401': share(random.logNormal(0.002, 0.6)),
      '403': counted.map((value) => Math.round(value * blockedShare)),
      '404': share(random.logNormal(0.01, 0.6)),
      '429': new Float64Array(minutes),
      '503': share(random.logNormal(0.0002, 0.6)),
    },
    usual: { requests: usualRequests, threats: usualThreats },
  };
}

function noise(random: Random): Pick<Character, 'slow' | 'fast' | 'minute'> {
  const { slow, fast, minute } = drawCharacter(random, 1);
  return { slow, fast: fast * 0.6, minute: minute * 0.6 };
}

function drawDeployments(random: Random, minutes: number): Shift[] {
  const shifts: Shift[] = [];
  for (let at = random.between(2, 14) * DAY; at < minutes; at += random.between(5, 15) * DAY) {
    shifts.push({ from: Math.round(at), to: minutes, factor: random.logNormal(1, 0.35), ramp: 0 });
  }
  return shifts;
}

/** Draws campaigns and a holiday as shifts of the traffic. */
export function drawShifts(random: Random, minutes: number): Shift[] {
  const shifts: Shift[] = [];
  for (let at = random.between(1, 20) * DAY; at < minutes; at += random.between(7, 30) * DAY) {
    const from = Math.round(at);
    const to = from + Math.round(random.between(2, 8) * HOUR);
    shifts.push({ from, to, factor: random.between(1.3, 2.5), ramp: Math.round(random.between(20, 60)) });
  }
  const holiday = Math.floor(random.between(2, 60)) * DAY;
  if (holiday < minutes) {
    shifts.push({
      from: holiday,
      to: holiday + DAY,
      factor: random.logBetween(0.4, 1.7),
      ramp: 3 * HOUR,
    });
  }
  return shifts;
}
