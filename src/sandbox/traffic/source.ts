import { fraction, hash } from '../hash.ts';
import { CACHE_STATUSES, GROUPS, type Group, MIX, STATUS_CODES } from './groups.ts';
import { addIncident, type Incident } from './incidents.ts';

/** Function that returns the total up to a time (ms since the epoch): an integer that never decreases. */
export type Cumulative = (time: number) => number;

const MINUTE = 60_000;
const DAY = 1440;
const WEEK = 7 * DAY;
const SLOW_STEP = 37;
/** Start of the count (minutes since the epoch), so late that the totals of the largest series stay exact in a double. */
const ORIGIN = Date.UTC(2020, 0, 1) / MINUTE;

/** Amplitudes of the rate around its mean of 1. Their sum is below 1, so that the rate never falls below zero. */
const DAILY = 0.45;
const HALF_DAILY = 0.1;
const WEEKLY = 0.15;
const SLOW_NOISE = 0.12;
const MINUTE_NOISE = 0.15;

/**
 * Returns traffic of `perMinute` on average, with a daily and a weekly pattern and noise. It is a closed form: a bucket of any
 * width is the difference of two calls. So buckets of different widths always add up to the same.
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

/** Returns the integral of a sine with this period (minutes) and amplitude. */
function swing(minutes: number, period: number, amplitude: number, phase: number): number {
  const turn = (2 * Math.PI) / period;
  return (-amplitude / turn) * Math.cos((minutes % period) * turn - phase);
}

/** Returns noise between 0 and 1, linear between whole positions. */
function ramp(key: number, position: number): number {
  const whole = Math.floor(position);
  const left = fraction(key, whole);
  return left + (position - whole) * (fraction(key, whole + 1) - left);
}

/**
 * Function that divides a cumulative integer into a part and a rest, which are both cumulative integers. The part is `share` of the
 * whole on average, and swings slowly around it. It grows by 0 or 1 per 1 of the whole.
 */
export type Split = (whole: number) => number;

/** @param wavelength amount of the whole after which the share has completed one swing */
export function split(key: number, share: number, wavelength: number): Split {
  const swing = (0.5 * Math.min(share, 1 - share) * wavelength) / (2 * Math.PI);
  const turn = (2 * Math.PI) / wavelength;
  const phase = 2 * Math.PI * fraction(key, 0);
  return (whole) => Math.floor(share * whole + swing * Math.sin((whole % wavelength) * turn + phase));
}

/**
 * Function that divides a whole into as many parts as there are shares, and writes them one after another. They add up to the
 * whole.
 */
export type Partition = (whole: number, into: Float64Array, at: number) => void;

/** Returns a partition of a whole. The last part gets the rest, so its share is not used. */
export function partition(key: number, shares: readonly number[], wavelength: number): Partition {
  let left = 1;
  const splits = shares.slice(0, -1).map((share, index) => {
    const cut = split(key + index + 1, Math.min(1, share / left), wavelength * left);
    left = Math.max(left - share, 1e-9);
    return cut;
  });
  return (whole, into, at) => {
    let rest = whole;
    let position = at;
    for (const cut of splits) {
      const part = cut(rest);
      into[position++] = part;
      rest -= part;
    }
    into[position] = rest;
  };
}

/** Function that writes the cells of a group at a given time: integers that never decrease (levels may). */
export type Meter = (time: number, into: Float64Array) => void;

/** One source of traffic: the traffic of one product at one domain. */
export interface Source {
  readonly id: number;
  meter(group: Group): Meter;
}

/** Mean counts per minute, by the last octal digit of an id: large, medium, small and idle sources. */
const SIZES = [42_000, 1_900, 260, 7_500, 0, 90, 12, 0.7] as const;

const METERS: Record<Group, (shape: Shape) => Meter> = {
  requests: (shape) => schemesAndCache(shape, shape.count),
  volume: (shape) => schemesAndCache(shape, shape.kilobytes),
  methods: (shape) => shares(shape, 100, Object.values(MIX.methods)),
  cache: cacheStatuses,
  countries: (shape) => shares(shape, 400, MIX.countries),
  locations: (shape) => shares(shape, 420, MIX.locations),
  queryTypes: (shape) => shares(shape, 440, MIX.queryTypes),
  codes: statusCodes,
  waf,
  plain:
    ({ count, kilobytes }) =>
    (time, into) => {
      into[0] = count(time);
      into[1] = kilobytes(time);
    },
  levels:
    ({ kilobytes }) =>
    (time, into) => {
      into[0] = 1;
      into[1] = Math.round(kilobytes(time) / 8);
    },
};

interface Shape {
  readonly key: number;
  readonly count: Cumulative;
  readonly kilobytes: Cumulative;
  /** Number of requests after which a share has completed one swing. */
  readonly wavelength: number;
}

/** @param incidents incidents of this source, read at every call, because more may be injected */
export function createSource(
  seed: number,
  id: number,
  product: { id: number; factor: number; kilobytes: number },
  incidents: readonly Incident[],
): Source {
  const key = hash(hash(seed, product.id), id);
  const perMinute = (SIZES[id % SIZES.length] ?? 0) * product.factor * (0.7 + 0.6 * fraction(key, 5));
  const shape: Shape = {
    key,
    count: curve(key, perMinute),
    kilobytes: curve(hash(key, 6), perMinute * product.kilobytes),
    wavelength: Math.max(100, perMinute * 60 * (5 + 4 * fraction(key, 7))),
  };
  const meters = new Map<Group, Meter>();
  return {
    id,
    meter(group) {
      const known = meters.get(group);
      if (known) return known;
      const meter = withIncidents(METERS[group](shape), group, incidents);
      meters.set(group, meter);
      return meter;
    },
  };
}

function withIncidents(meter: Meter, group: Group, incidents: readonly Incident[]): Meter {
  return (time, into) => {
    meter(time, into);
    for (const incident of incidents) addIncident(incident, group, time, into);
  };
}

function schemesAndCache({ key, wavelength }: Shape, whole: Cumulative): Meter {
  const https = split(key + 10, MIX.https, wavelength);
  const saved = split(key + 11, MIX.saved, wavelength);
  return (time, into) => {
    const total = whole(time);
    into[0] = total;
    const secure = https(total);
    into[1] = total - secure;
    into[2] = secure;
    const hits = saved(total);
    into[3] = hits;
    into[4] = total - hits;
  };
}

/** Divides the count by shares; the last part gets the rest. */
function shares({ key, count, wavelength }: Shape, at: number, parts: readonly number[]): Meter {
  const divide = partition(key + at, [...parts, 0], wavelength);
  return (time, into) => divide(count(time), into, 0);
}

/** Divides the missed requests further; the last cell contains the saved ones. */
function cacheStatuses({ key, count, wavelength }: Shape): Meter {
  const saved = split(key + 11, MIX.saved, wavelength);
  const missed = Object.values(MIX.missed);
  const divide = partition(key + 460, [...missed, 0], wavelength * (1 - MIX.saved));
  return (time, into) => {
    const total = count(time);
    const hits = saved(total);
    divide(total - hits, into, 0);
    into[CACHE_STATUSES.indexOf('HIT')] = hits;
  };
}

/** Divides status codes. Code 200 gets the rest of the other codes, so it is computed last and then moved to its position. */
function statusCodes({ key, count, wavelength }: Shape): Meter {
  const rare = STATUS_CODES.filter((code) => code !== '200');
  const shares = rare.map((code, index) => MIX.codes[code] * (0.4 + 1.2 * fraction(key, 200 + index)));
  const divide = partition(key + 200, [...shares, 0], wavelength);
  const parts = new Float64Array(STATUS_CODES.length);
  const places = [...rare, '200' as const].map((code) => STATUS_CODES.indexOf(code));
  return (time, into) => {
    divide(count(time), parts, 0);
    for (let index = 0; index < places.length; index++) into[places[index] ?? 0] = parts[index] ?? 0;
  };
}

function waf({ key, count, wavelength }: Shape): Meter {
  const inspected: Split = split(key + 300, MIX.inspected, wavelength);
  const threats: Split = split(key + 301, MIX.threats, wavelength);
  const blocked: Split = split(key + 302, MIX.blocked, wavelength * MIX.threats);
  const families: Partition = partition(
    key + 303,
    [...Object.values(MIX.families), 0],
    wavelength * MIX.threats,
  );
  return (time, into) => {
    const requests = inspected(count(time));
    into[0] = requests;
    const found = threats(requests);
    into[1] = blocked(found);
    into[2] = found;
    families(found, into, GROUPS.waf.indexOf('xss'));
  };
}
