import type { Family, Labels } from './family.ts';
import {
  type KnownMetric,
  type LabelledMeaning,
  type Meaning,
  SERVICE_METRICS,
  TRAFFIC_METRICS,
} from './known-metrics.ts';
import { PRODUCTS } from './products.ts';
import { baseUnits, DEFAULT_UNITS, type UnitKind, type UnitOverrides } from './units.ts';

/** Scope of a value: one configuration, or a whole product (an aggregate read). */
export type Scope = 'configuration' | 'product';

/** Families of a meaning: a gauge, and also a counter for additive meanings. */
export interface MeaningFamilies {
  readonly gauge: Family;
  readonly counter?: Family;
  /** Families of the newest bucket with data, even if incomplete; undefined if the meaning has no lower bounds. */
  readonly early?: EarlyFamilies;
}

/** Families of a bucket before it is complete. */
export interface EarlyFamilies {
  /** Lower bound: the bucket's value so far. */
  readonly atLeast: Family;
  /** Estimate of the bucket's final value. */
  readonly expected: Family;
}

/** API metrics of the catalogue, by name. */
export const KNOWN_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ...TRAFFIC_METRICS,
  ...SERVICE_METRICS,
]);

/**
 * Dimensions of each metric, from the analytics metadata (section 2.12). The metrics API documents none. Its metrics have those of
 * the analytics metric with the same meaning, or only `total`. Further dimensions of a response are accepted.
 */
export const DIMENSIONS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...KNOWN_METRICS].map(([metric, { dimensions, undocumented }]) => [
    metric,
    [...dimensions.keys()].filter((name) => name !== undocumented),
  ]),
);

// Whole-product values have their own names: in one family with the configurations, sums would count traffic twice.
const NAMESPACES = { configuration: 'edge', product: 'edge_product' } as const;

/** Returns the API metrics, with their dimensions, that provide a meaning: `analytics/metrics waf (xss, rfi)`. */
function sourcesOf(meaning: Meaning): readonly string[] {
  return [...KNOWN_METRICS].flatMap(([metric, { dimensions }]) => {
    const names = [...dimensions].filter(([, reading]) => reading.meaning === meaning).map(([name]) => name);
    return names.length === 0 ? [] : [`${apisOf(metric)} ${metric} (${names.join(', ')})`];
  });
}

function apisOf(metric: string): string {
  const products = PRODUCTS.filter((product) => product.metrics.includes(metric));
  return [...new Set(products.map(({ api }) => api))].join('/') || 'GraphQL';
}

function familiesOf(meaning: Meaning, scope: Scope): MeaningFamilies {
  const name = `${NAMESPACES[scope]}_${meaning.stem}`;
  const whose = scope === 'product' ? ', of the whole product' : '';
  const source = `${meaning.unit === 'rate' ? ' Multiply by 8 for bits.' : ''} API: ${sourcesOf(meaning).join(', ')}.`;
  const subject = `${meaning.text}${whose}`;
  if (!meaning.additive) {
    return { gauge: { name, type: 'gauge', help: `${subject}, in the newest trusted bucket.${source}` } };
  }
  const perMinute = `${subject}, per minute, in the newest trusted bucket. Use ${name}_total for sums over time.`;
  const total = `${subject}, in all settled buckets.`;
  return {
    gauge: { name: `${name}_per_minute`, type: 'gauge', help: perMinute + source },
    counter: { name: `${name}_total`, type: 'counter', help: total + source },
    ...(meaning.boundedBy && { early: earlyFamilies(name, summedTo(subject, meaning.boundedBy)) }),
  };
}

/** Returns the subject of a lower bound that has fewer labels than its gauge. */
function summedTo(subject: string, labels: readonly string[]): string {
  return labels.length === 0 ? subject : subject.replace(/ by .*;[^,]*/, ` by ${labels.join(' and ')}`);
}

function earlyFamilies(name: string, subject: string): EarlyFamilies {
  const gauge = (kind: string, help: string): Family => ({ name: `${name}_${kind}`, type: 'gauge', help });
  return {
    atLeast: gauge(
      'at_least_per_minute',
      `${subject}, per minute: lower bound of the newest bucket with any data, which may still grow. Present if at least 99.9 % of the changes to buckets of the API metric were upwards.`,
    ),
    expected: gauge(
      'expected_per_minute',
      `${subject}, per minute: estimated final value of the newest bucket with any data. For graphs, not for alerts.`,
    ),
  };
}

function ofEveryMeaning(scope: Scope): ReadonlyMap<Meaning, MeaningFamilies> {
  const readings = [...KNOWN_METRICS.values()].flatMap((metric) => [...metric.dimensions.values()]);
  const meanings = new Set(readings.map((reading) => reading.meaning));
  return new Map([...meanings].map((meaning) => [meaning, familiesOf(meaning, scope)]));
}

/** Families of every meaning, by scope. Each family is one object, so that identity distinguishes families. */
export const MEANING_FAMILIES: Readonly<Record<Scope, ReadonlyMap<Meaning, MeaningFamilies>>> = {
  configuration: ofEveryMeaning('configuration'),
  product: ofEveryMeaning('product'),
};

function rawFamily(scope: Scope): Family {
  const whose = scope === 'product' ? ' of the whole product' : '';
  return {
    name: `${NAMESPACES[scope]}_metric`,
    type: 'gauge',
    help: `Value${whose} of an unknown API metric or dimension in the newest trusted bucket, as the platform sent it. The unit is unknown, and sums are meaningless.`,
  };
}

/** Families of unknown metrics, by scope. */
export const RAW_FAMILIES: Readonly<Record<Scope, Family>> = {
  configuration: rawFamily('configuration'),
  product: rawFamily('product'),
};

/** Context that distinguishes the families of a metric and dimension. */
export interface FaceContext {
  readonly scope: Scope;
  readonly units?: UnitOverrides | undefined;
}

/** Families of a series' newest bucket, and their remaining labels. Series whose values are summed share one labels object. */
export interface EarlyFaces extends EarlyFamilies {
  readonly labels: Labels;
}

/** Families of a series of the platform. */
export interface Faces {
  /** Family of the newest published bucket. Its value is multiplied by `scale`, and is per minute if `perMinute` is true. */
  readonly gauge: { readonly family: Family; readonly scale: number; readonly perMinute: boolean };
  /** Family of the sum of all settled buckets, multiplied by `scale`; undefined if the series is not additive. */
  readonly counter?: { readonly family: Family; readonly scale: number };
  /** Families of the lower bound and the estimate of the newest bucket; undefined for meanings without lower bounds. */
  readonly early?: EarlyFaces;
  /** Labels written after the common labels. */
  readonly labels: Labels;
  /** False if the catalogue does not know the metric or the dimension. The series is then exported raw, with a warning. */
  readonly known: boolean;
}

function unnamed({ dimensions, unnamed = 'total' }: KnownMetric): LabelledMeaning | undefined {
  return dimensions.size === 1 ? [...dimensions.values()][0] : dimensions.get(unnamed);
}

function readingOf(metric: string, dimension: string): LabelledMeaning | undefined {
  const known = KNOWN_METRICS.get(metric);
  if (known === undefined) return undefined;
  if (dimension === '') return unnamed(known);
  return known.dimensions.get(dimension) ?? known.pattern?.(dimension);
}

/**
 * Returns a function that is true for dimensions in percent (0 to 100); undefined if the metric has none. The dimension '' is a
 * series without a name.
 */
export function percentagesOf(metric: string): ((dimension: string) => boolean) | undefined {
  const meanings = [...(KNOWN_METRICS.get(metric)?.dimensions.values() ?? [])];
  if (!meanings.some(({ meaning }) => meaning.unit === 'percent')) return undefined;
  return (dimension) => readingOf(metric, dimension)?.meaning.unit === 'percent';
}

function scaleOf({ unit }: Meaning, metric: string, dimension: string, units: UnitOverrides): number {
  if (unit === 'count' || unit === 'seconds') return 1;
  if (unit === 'percent') return 0.01;
  const override = units[`${metric}.${dimension}`] ?? units[metric];
  const scale = (override && baseUnits(override, unit)) ?? baseUnits(DEFAULT_UNITS[unit], unit) ?? 1;
  // Prometheus' base unit of data is the byte, also per second; the platform's rates are in bits.
  return unit === 'rate' ? scale / 8 : scale;
}

/** Cache of faces by metric and dimension. */
class KnownFaces {
  readonly #byMetric = new Map<string, Map<string, Faces>>();
  #count = 0;

  get(metric: string, dimension: string): Faces | undefined {
    return this.#byMetric.get(metric)?.get(dimension);
  }

  /** Adds faces, up to a limit: responses may have more names than the platform documents, and each takes memory. */
  add(metric: string, dimension: string, faces: Faces): void {
    if (this.#count >= MOST_KNOWN) return;
    this.#count += 1;
    const ofMetric = this.#byMetric.get(metric) ?? new Map<string, Faces>();
    this.#byMetric.set(metric, ofMetric.set(dimension, faces));
  }
}

const MOST_KNOWN = 10_000;

/** Faces shared by thousands of configurations, which look them up in each poll. */
const known: Readonly<Record<Scope, WeakMap<UnitOverrides, KnownFaces>>> = {
  configuration: new WeakMap(),
  product: new WeakMap(),
};
const DEFAULTS: UnitOverrides = {};

/**
 * Returns the families, scales and extra labels of one series of the platform, which is the contract of its metrics. The dimension
 * '' is a series without a name in the response.
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

/** Returns the kinds of units that `units:` may set for a name: empty for numbers and shares, undefined for unknown names. */
export function unitKinds(name: string): ReadonlySet<UnitKind> | undefined {
  const [metric = '', dimension] = name.split(/\.(.*)/s);
  const known = KNOWN_METRICS.get(metric);
  const reading = dimension === undefined ? undefined : readingOf(metric, dimension);
  if (known === undefined || (dimension !== undefined && reading === undefined)) return undefined;
  const readings = reading === undefined ? [...known.dimensions.values()] : [reading];
  const units = readings.map(({ meaning }) => meaning.unit);
  return new Set(units.filter((unit) => unit === 'volume' || unit === 'rate'));
}

/** Names for which `units:` may set a unit: metrics, and their dimensions if a metric has both kinds. */
export const NAMES_WITH_UNITS: readonly string[] = [...KNOWN_METRICS].flatMap(([metric, { dimensions }]) => {
  const kinds = unitKinds(metric)?.size ?? 0;
  if (kinds === 0) return [];
  return kinds === 1 ? [metric] : [metric, ...[...dimensions.keys()].map((name) => `${metric}.${name}`)];
});

/** Returns every family that can contain a series of the platform. */
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
