import { facesOf, families, KNOWN_METRICS, type Scope } from '../../src/exporter/catalogue/catalogue.ts';
import type { LabelledFamily } from '../../src/exporter/catalogue/family.ts';
import {
  DISCOVERY_FAMILIES,
  LEARNED_FAMILIES,
  PLATFORM_FAMILIES,
} from '../../src/exporter/catalogue/platform-families.ts';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import type { FamilyMetadata } from '../../src/exporter/exposition/text-format.ts';
import { documentedMetrics } from '../../src/exporter/self/measured-metrics.ts';

/** Family that `/metrics` may contain, with the names of its labels. */
export interface DocumentedFamily extends FamilyMetadata {
  readonly labels: readonly string[];
}

const OF_A_PRODUCT = ['account', 'product'];
const OF_A_CONFIGURATION = [...OF_A_PRODUCT, 'configuration_id', 'configuration'];

/** Returns the families of the platform's analytics, including those of whole products (`edge_product_…`). */
export function trafficFamilies(): readonly DocumentedFamily[] {
  const own = new Map<string, Set<string>>();
  for (const { names, labels } of [...labelsOf('configuration'), ...labelsOf('product')]) {
    for (const name of names) own.set(name, new Set([...(own.get(name) ?? []), ...labels]));
  }
  return families().map((family) => {
    const common = family.name.startsWith('edge_product_') ? OF_A_PRODUCT : OF_A_CONFIGURATION;
    return { ...family, labels: [...common, ...(own.get(family.name) ?? [])] };
  });
}

function labelsOf(scope: Scope) {
  const known = [...KNOWN_METRICS].flatMap(([metric, { dimensions }]) =>
    [...dimensions.keys()].map((dimension) => [metric, dimension] as const),
  );
  return [...known, ['unknown', 'unknown'] as const].flatMap(([metric, dimension]) => {
    const { gauge, counter, labels, early } = facesOf(metric, dimension, { scope });
    const names = [gauge.family, ...(counter ? [counter.family] : [])].map(({ name }) => name);
    const whole = { names, labels: Object.keys(labels) };
    if (early === undefined) return [whole];
    const earlyNames = [early.atLeast.name, early.expected.name];
    return [whole, { names: earlyNames, labels: Object.keys(early.labels) }];
  });
}

/** Returns the families of accounts: reachability, quota, configurations, newest buckets. */
export function accountFamilies(): readonly LabelledFamily[] {
  return PLATFORM_FAMILIES;
}

/**
 * Returns the families of the platform's settings, each with the collector that reads it. Their labels are in
 * docs/settings.md.
 */
export function settingsFamilies(): readonly { collector: string; name: string; help: string }[] {
  return Object.entries(COLLECTORS).flatMap(([collector, { families }]) =>
    families.map(({ name, help }) => ({ collector, name, help })),
  );
}

/** Returns the exporter's own families, without those of its process. */
export function ownFamilies(): readonly DocumentedFamily[] {
  return [...registered().filter(isOwn), ...LEARNED_FAMILIES, ...DISCOVERY_FAMILIES].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/** Returns the names of the process metrics. */
export function processFamilies(): readonly string[] {
  return registered().flatMap((family) => (isOwn(family) ? [] : [family.name]));
}

function isOwn({ name }: DocumentedFamily): boolean {
  return name.startsWith('edge_exporter_');
}

function registered(): readonly DocumentedFamily[] {
  const metrics = documentedMetrics().flatMap((registry): unknown[] => registry.getMetricsAsArray());
  return (metrics as readonly (FamilyMetadata & { labelNames: readonly string[] })[]).map(
    ({ name, help, type, labelNames }) => ({ name, help, type, labels: labelNames }),
  );
}

/** Returns the unit of a family's values, derived from its name. */
export function unitOf({ name, type }: FamilyMetadata): string {
  const known = UNITS.find(([pattern]) => pattern.test(name));
  if (known) return known[1];
  return type === 'counter' ? 'count' : '1';
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_timestamp_seconds$/, 'Unix time, s'],
  [/_bytes(_\w+)?_per_second$/, 'bytes/s'],
  [/_bytes(_\w+)?_per_minute$/, 'bytes/min'],
  [/_bytes(_\w+)?_total$|_bytes$/, 'bytes'],
  [/_seconds_per_minute$/, 's/min'],
  [/_seconds_total$/, 's'],
  [/_per_second$/, '1/s'],
  [/_per_minute$/, '1/min'],
  [/_ratio$/, 'ratio'],
  [/_seconds$/, 's'],
];
