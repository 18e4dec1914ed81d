import type { Family } from './family.ts';
import { SERVICE_METRICS, TRAFFIC_METRICS } from './known-metrics.ts';
import type { KnownMetric, Meaning } from './meaning.ts';
import { PRODUCTS } from './products.ts';
import { DEFAULT_UNITS } from './units.ts';

/** Whether a value is of one configuration or of a whole product (an aggregate read). */
export type Scope = 'configuration' | 'product';

/** The families that show a meaning: every one as a gauge, the additive ones as a counter too. */
export interface MeaningFamilies {
  readonly gauge: Family;
  readonly counter?: Family;
  /** Of the newest bucket that has any data, however incomplete. */
  readonly early?: EarlyFamilies;
}

/** What is known of a bucket before it is complete. */
export interface EarlyFamilies {
  /** The bucket's value so far. */
  readonly atLeast: Family;
  /** What it will probably reach. */
  readonly expected: Family;
}

/** Every API metric that the catalogue knows, by its name. */
export const KNOWN_METRICS: ReadonlyMap<string, KnownMetric> = new Map([
  ...TRAFFIC_METRICS,
  ...SERVICE_METRICS,
]);

// Whole-product values have names of their own: in one family with its configurations they would count twice.
const NAMESPACES = { configuration: 'edge', product: 'edge_product' } as const;

const UNIT_NOTES: Record<Meaning['unit'], string> = {
  count: '',
  seconds: '',
  volume: ` The platform documents no unit; ${DEFAULT_UNITS.volume} are assumed unless the configuration sets another.`,
  rate: ` In bytes; multiply by 8 for bits. The platform documents no unit; ${DEFAULT_UNITS.rate} is assumed unless the configuration sets another.`,
  percent: '',
};

/** The API metrics, with their dimensions, that a meaning is read from: `analytics/metrics waf (xss, rfi)`. */
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
  const source = `${UNIT_NOTES[meaning.unit]} API: ${sourcesOf(meaning).join(', ')}.`;
  const subject = `${meaning.text}${whose}`;
  if (!meaning.additive) {
    return { gauge: { name, type: 'gauge', help: `${subject}, in the newest published bucket.${source}` } };
  }
  const perMinute = `${subject}, per minute, in the newest published bucket; for sums over time use ${name}_total.`;
  const total = `${subject}; counts every settled bucket once. For the newest value use ${name}_per_minute.`;
  return {
    gauge: { name: `${name}_per_minute`, type: 'gauge', help: perMinute + source },
    counter: { name: `${name}_total`, type: 'counter', help: total + source },
    ...(meaning.boundedBy && { early: earlyFamilies(name, summedTo(subject, meaning.boundedBy), source) }),
  };
}

/** What is bounded, where its labels are fewer than those of the gauges. */
function summedTo(subject: string, labels: readonly string[]): string {
  return labels.length === 0 ? subject : subject.replace(/ by .*;[^,]*/, ` by ${labels.join(' and ')}`);
}

function earlyFamilies(name: string, subject: string, source: string): EarlyFamilies {
  const rest = `For sums over time use ${name}_total.${source}`;
  const gauge = (kind: string, help: string): Family => ({ name: `${name}_${kind}`, type: 'gauge', help });
  return {
    atLeast: gauge(
      'at_least_per_minute',
      `${subject}, per minute: a lower bound, from the newest bucket that has any data. The bucket may still grow. Shown only where at least 99.9 % of the changes that the platform made to buckets of the API metric were upwards. ${rest}`,
    ),
    expected: gauge(
      'expected_per_minute',
      `${subject}, per minute: an estimate of what the newest bucket that has any data will come to, from how complete buckets of its age were so far. For graphs, not for alerts. ${rest}`,
    ),
  };
}

function ofEveryMeaning(scope: Scope): ReadonlyMap<Meaning, MeaningFamilies> {
  const readings = [...KNOWN_METRICS.values()].flatMap((metric) => [...metric.dimensions.values()]);
  const meanings = new Set(readings.map((reading) => reading.meaning));
  return new Map([...meanings].map((meaning) => [meaning, familiesOf(meaning, scope)]));
}

/** The families of every meaning, by scope. One object per family, so that a family can be told by identity. */
export const MEANING_FAMILIES: Readonly<Record<Scope, ReadonlyMap<Meaning, MeaningFamilies>>> = {
  configuration: ofEveryMeaning('configuration'),
  product: ofEveryMeaning('product'),
};

function rawFamily(scope: Scope): Family {
  const whose = scope === 'product' ? ' of the whole product' : '';
  return {
    name: `${NAMESPACES[scope]}_metric`,
    type: 'gauge',
    help: `Value${whose} of an API metric or dimension that this exporter does not know, in the newest published bucket, as the platform sent it: not normalised, unit unknown, sums are meaningless.`,
  };
}

/** The families of what the catalogue does not know, by scope. */
export const RAW_FAMILIES: Readonly<Record<Scope, Family>> = {
  configuration: rawFamily('configuration'),
  product: rawFamily('product'),
};
