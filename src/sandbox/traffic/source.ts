import { fraction, hash } from '../hash.ts';
import { type Cumulative, curve } from './curve.ts';
import { GROUPS, type Group, MIX, STATUS_CODES } from './groups.ts';
import { addIncident, type Incident } from './incidents.ts';
import { type Partition, partition, type Split, split } from './split.ts';

/** Writes the cells of a group as they stand at a moment: integers, none of which falls (levels may). */
export type Meter = (time: number, into: Float64Array) => void;

/** One source of traffic: a domain as one product sees it. */
export interface Source {
  readonly id: number;
  meter(group: Group): Meter;
}

/** Mean counts per minute by the last digit (octal) of an id: large, middling, small and idle sources. */
const SIZES = [42_000, 1_900, 260, 7_500, 0, 90, 12, 0.7] as const;

const METERS: Record<Group, (shape: Shape) => Meter> = {
  requests: (shape) => schemesAndCache(shape, shape.count),
  volume: (shape) => schemesAndCache(shape, shape.kilobytes),
  methods: ({ count, key, wavelength }) => {
    const divide = partition(key + 100, [...Object.values(MIX.methods), 0], wavelength);
    return (time, into) => divide(count(time), into, 0);
  },
  codes: statusCodes,
  waf,
  plain:
    ({ count, kilobytes }) =>
    (time, into) => {
      into[0] = count(time);
      into[1] = kilobytes(time);
    },
  levels: ({ kilobytes }) => {
    return (time, into) => {
      into[0] = 1;
      into[1] = Math.round(kilobytes(time) / 8);
    };
  },
};

interface Shape {
  readonly key: number;
  readonly count: Cumulative;
  readonly kilobytes: Cumulative;
  /** After how many requests a share has swung to and fro. */
  readonly wavelength: number;
}

/** @param incidents what happens at this source, read at every call, since more are injected while it runs */
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

/** Code 200 is what the other codes leave, so it is divided last and put back into its place. */
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
