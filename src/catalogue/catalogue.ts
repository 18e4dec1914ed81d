import { type EarlyFamilies, KNOWN_METRICS, MEANING_FAMILIES, RAW_FAMILIES, type Scope } from './families.ts';
import type { Family, Labels } from './family.ts';
import type { KnownMetric, Meaning, Reading } from './meaning.ts';
import { baseUnits, DEFAULT_UNITS, type UnitKind, type UnitOverrides } from './units.ts';

/** What the same metric and dimension can differ by. */
export interface FaceContext {
  readonly scope: Scope;
  readonly units?: UnitOverrides | undefined;
}

/** How a series of the platform is exposed. */
export interface Faces {
  /** The newest published bucket: its value times `scale`, and by minutes of bucket width when `perMinute`. */
  readonly gauge: { readonly family: Family; readonly scale: number; readonly perMinute: boolean };
  /** Of additive series: the sum of all settled buckets' values, times `scale`. */
  readonly counter?: { readonly family: Family; readonly scale: number };
  /** Of what wakes people: the families of its newest bucket, and the labels that are left in them. */
  readonly early?: EarlyFamilies & { readonly labels: Labels };
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
  if (unit === 'count') return 1;
  if (unit === 'percent') return 0.01;
  const override = units[`${metric}.${dimension}`] ?? units[metric];
  const scale = (override && baseUnits(override, unit)) ?? baseUnits(DEFAULT_UNITS[unit], unit) ?? 1;
  // Prometheus' base unit of data is the byte, also per second; the platform's rates are in bits.
  return unit === 'rate' ? scale / 8 : scale;
}

/** Faces by units and by what else they depend on: thousands of configurations have the same. */
const known = new WeakMap<UnitOverrides, Map<string, Faces>>();
const DEFAULTS: UnitOverrides = {};
/** More names than the platform documents may come, and each takes memory. */
const MOST_KNOWN = 10_000;

/**
 * The families, scales and extra labels of one series of the platform: the metric contract. A dimension of '' is a
 * series that the answer did not name.
 */
export function facesOf(metric: string, dimension: string, context: FaceContext): Faces {
  const { scope, units = DEFAULTS } = context;
  const alike = known.get(units) ?? new Map<string, Faces>();
  known.set(units, alike);
  const key = JSON.stringify([scope, metric, dimension]);
  const faces = alike.get(key) ?? makeFaces(metric, dimension, context);
  if (alike.size < MOST_KNOWN) alike.set(key, faces);
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
  return { ...faces, early: { ...families.early, labels: only(labels, boundedBy) } };
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
