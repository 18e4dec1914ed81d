import { type EarlyFamilies, KNOWN_METRICS, MEANING_FAMILIES, RAW_FAMILIES, type Scope } from './families.ts';
import type { Family, Labels } from './family.ts';
import type { KnownMetric, Meaning, Reading } from './meaning.ts';
import { baseUnits, DEFAULT_UNITS, type UnitKind, type UnitOverrides } from './units.ts';

/** What the same metric and dimension can differ by. */
export interface FaceContext {
  readonly scope: Scope;
  readonly units?: UnitOverrides | undefined;
}

/** Families of a series' newest bucket, and the labels that are left in them: the same object for all that are summed up. */
export interface EarlyFaces extends EarlyFamilies {
  readonly labels: Labels;
}

/** How a series of the platform is exposed. */
export interface Faces {
  /** The newest published bucket: its value times `scale`, and by minutes of bucket width when `perMinute`. */
  readonly gauge: { readonly family: Family; readonly scale: number; readonly perMinute: boolean };
  /** Of additive series: the sum of all settled buckets' values, times `scale`. */
  readonly counter?: { readonly family: Family; readonly scale: number };
  /** Of what wakes people. */
  readonly early?: EarlyFaces;
  /** Written after the common labels. */
  readonly labels: Labels;
  /** False when the catalogue does not know the metric or the dimension: it is exported raw, with a warning. */
  readonly known: boolean;
}

function unnamed({ dimensions, unnamed = 'total' }: KnownMetric): Reading | undefined {
  return dimensions.size === 1 ? [...dimensions.values()][0] : dimensions.get(unnamed);
}

function readingOf(metric: string, dimension: string): Reading | undefined {
  const known = KNOWN_METRICS.get(metric);
  if (known === undefined) return undefined;
  if (dimension === '') return unnamed(known);
  return known.dimensions.get(dimension) ?? known.pattern?.(dimension);
}

function scaleOf({ unit }: Meaning, metric: string, dimension: string, units: UnitOverrides): number {
  if (unit === 'count' || unit === 'seconds') return 1;
  if (unit === 'percent') return 0.01;
  const override = units[`${metric}.${dimension}`] ?? units[metric];
  const scale = (override && baseUnits(override, unit)) ?? baseUnits(DEFAULT_UNITS[unit], unit) ?? 1;
  // Prometheus' base unit of data is the byte, also per second; the platform's rates are in bits.
  return unit === 'rate' ? scale / 8 : scale;
}

/** Faces that are known, by metric and dimension. */
class KnownFaces {
  readonly #byMetric = new Map<string, Map<string, Faces>>();
  #count = 0;

  get(metric: string, dimension: string): Faces | undefined {
    return this.#byMetric.get(metric)?.get(dimension);
  }

  /** More names than the platform documents may come, and each takes memory. */
  add(metric: string, dimension: string, faces: Faces): void {
    if (this.#count >= MOST_KNOWN) return;
    this.#count += 1;
    const ofMetric = this.#byMetric.get(metric) ?? new Map<string, Faces>();
    this.#byMetric.set(metric, ofMetric.set(dimension, faces));
  }
}

const MOST_KNOWN = 10_000;

/** By what else they depend on: thousands of configurations have the same, and look them up in each poll. */
const known: Readonly<Record<Scope, WeakMap<UnitOverrides, KnownFaces>>> = {
  configuration: new WeakMap(),
  product: new WeakMap(),
};
const DEFAULTS: UnitOverrides = {};

/**
 * The families, scales and extra labels of one series of the platform: the metric contract. A dimension of '' is a
 * series that the answer did not name.
 */
export function facesOf(metric: string, dimension: string, context: FaceContext): Faces {
  const { scope, units = DEFAULTS } = context;
  const alike = known[scope].get(units) ?? new KnownFaces();
  known[scope].set(units, alike);
  const before = alike.get(metric, dimension);
  if (before !== undefined) return before;
  const faces = makeFaces(metric, dimension, context);
  alike.add(metric, dimension, faces);
  return faces;
}

function makeFaces(metric: string, dimension: string, context: FaceContext): Faces {
  const reading = readingOf(metric, dimension);
  const families = reading && MEANING_FAMILIES[context.scope].get(reading.meaning);
  if (reading === undefined || families === undefined) {
    const gauge = { family: RAW_FAMILIES[context.scope], scale: 1, perMinute: false };
    return { gauge, labels: { metric, dimension }, known: false };
  }
  const scale = scaleOf(reading.meaning, metric, dimension, context.units ?? {});
  const gauge = { family: families.gauge, scale, perMinute: reading.meaning.additive };
  const { labels } = reading;
  if (families.counter === undefined) return { gauge, labels, known: true };
  const faces = { gauge, counter: { family: families.counter, scale }, labels, known: true };
  const { boundedBy } = reading.meaning;
  if (families.early === undefined || boundedBy === undefined) return faces;
  return { ...faces, early: earlyFaces(families.early, only(labels, boundedBy)) };
}

const knownEarly = new Map<string, EarlyFaces>();

function earlyFaces(families: EarlyFamilies, labels: Labels): EarlyFaces {
  const key = JSON.stringify([families.atLeast.name, labels]);
  const early = knownEarly.get(key) ?? { ...families, labels };
  knownEarly.set(key, early);
  return early;
}

function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

/**
 * The kinds of units that `units:` may set for a name: an API metric, or one of its dimensions as `metric.dimension`.
 * None where the figures are numbers or shares; undefined where the catalogue does not know the name.
 */
export function unitKinds(name: string): ReadonlySet<UnitKind> | undefined {
  const [metric = '', dimension] = name.split(/\.(.*)/s);
  const known = KNOWN_METRICS.get(metric);
  const reading = dimension === undefined ? undefined : readingOf(metric, dimension);
  if (known === undefined || (dimension !== undefined && reading === undefined)) return undefined;
  const readings = reading === undefined ? [...known.dimensions.values()] : [reading];
  const units = readings.map(({ meaning }) => meaning.unit);
  return new Set(units.filter((unit) => unit === 'volume' || unit === 'rate'));
}

/** Every name that `units:` may set a unit for: a metric, and its dimensions where it has both kinds. */
export const NAMES_WITH_UNITS: readonly string[] = [...KNOWN_METRICS].flatMap(([metric, { dimensions }]) => {
  const kinds = unitKinds(metric)?.size ?? 0;
  if (kinds === 0) return [];
  return kinds === 1 ? [metric] : [metric, ...[...dimensions.keys()].map((name) => `${metric}.${name}`)];
});

/** Every family that a series of the platform can be shown in. */
export function families(): readonly Family[] {
  return (['configuration', 'product'] as const).flatMap((scope) => [
    ...[...MEANING_FAMILIES[scope].values()].flatMap(({ gauge, counter, early }) => [
      gauge,
      ...(counter ? [counter] : []),
      ...(early ? [early.atLeast, early.expected] : []),
    ]),
    RAW_FAMILIES[scope],
  ]);
}
