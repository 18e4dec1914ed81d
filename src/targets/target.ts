import picomatch from 'picomatch';
import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Resource } from '../platform/read.ts';
import { type Window, windowQuery } from '../settling/window.ts';
import type { Configuration } from './configuration-list.ts';

/** Something whose series are read as one: a configuration of a product, or a product as a whole. */
export interface Target {
  readonly account: string;
  readonly product: Product;
  readonly by: 'configuration' | 'product';
  /** The id as it stands in the path and in the answer: the configuration's, one of its domains', or the product's. */
  readonly id: string;
  /** The configuration's name; empty for a product. */
  readonly name: string;
}

/** The labels that every series of a target carries. */
export function targetLabels({ account, product, by, id, name }: Target): Labels {
  return by === 'product'
    ? { account, product: product.slug }
    : { account, product: product.slug, configuration_id: id, configuration: name };
}

/**
 * The labels of a series: the target's with those of its own. Measured, `{ ...a, ...b }` of labels has V8 give each object a
 * hidden class of its own, which takes four times as much as the object.
 */
export function labelsIn(target: Target, labels: Labels): Labels {
  return Object.assign(targetLabels(target), labels);
}

/** Which series: one metric of a target, and one of its dimensions or all of them. */
export interface SeriesQuestion {
  readonly target: Target;
  readonly metric: string;
  readonly dimension?: string;
  readonly window: Window;
}

/**
 * The read that answers a question (sections 4.12 and 4.13): without a dimension, the one that brings all dimensions
 * of the metric in one operation.
 */
export function seriesResource({ target, metric, dimension, window }: SeriesQuestion): Resource {
  const { api, id } = target.product;
  const subject = target.by === 'product' ? 'aggregate' : `configurations/${encodeURIComponent(target.id)}`;
  const tail = dimension === undefined ? '' : `/dimensions/${encodeURIComponent(dimension)}`;
  return {
    path: `/${api}/products/${id}/${subject}/metrics/${encodeURIComponent(metric)}${tail}`,
    version: api === 'analytics' ? 1 : 2,
    query: windowQuery(window),
  };
}

/** Which id stands for a configuration in the paths of an API. */
export type Addressing = 'configuration' | 'domain';

/** Names (globs) or ids of configurations that are wanted and not wanted. */
export interface Selection {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** What of a product is asked for: its configurations, the product as a whole, or both. */
export interface TargetSelection {
  readonly by: readonly Target['by'][];
  readonly configurations: Selection;
}

/** What of a product is read: its selected, active configurations, the product as a whole, or both. */
export function targetsOf(
  account: string,
  product: Product,
  settings: TargetSelection,
  configurations: readonly Configuration[],
  addressing: Addressing,
): Target[] {
  const targets: Target[] = [];
  if (settings.by.includes('product')) {
    targets.push({ account, product, by: 'product', id: String(product.id), name: '' });
  }
  if (!settings.by.includes('configuration')) return targets;
  const selects = selector(settings.configurations);
  const taken = new Set<string>();
  for (const configuration of configurations) {
    if (!configuration.active || !selects(configuration)) continue;
    for (const id of addresses(configuration, addressing)) {
      // A domain listed under two configurations has one series.
      if (taken.has(id)) continue;
      taken.add(id);
      targets.push({ account, product, by: 'configuration', id, name: configuration.name });
    }
  }
  return targets;
}

/** Whether a configuration is selected: included by name or id, and not excluded by either. */
export function selector({ include, exclude }: Selection): (configuration: Configuration) => boolean {
  const included = matcher(include);
  const excluded = matcher(exclude);
  return (configuration) => included(configuration) && !excluded(configuration);
}

/** Whether a name (a glob) or an id is of none of the configurations; all of none is no contradiction. */
export function matchesNothing(pattern: string, configurations: readonly Configuration[]): boolean {
  return pattern !== '*' && !configurations.some(matcher([pattern]));
}

/** The ids that stand for a configuration; one without domains is addressed by its own id. */
export function addresses({ id, domains }: Configuration, addressing: Addressing): readonly string[] {
  return addressing === 'domain' && domains.length > 0 ? domains : [id];
}

function matcher(patterns: readonly string[]): (configuration: Configuration) => boolean {
  const byName = patterns.map((pattern) => picomatch(pattern, { dot: true, bash: true }));
  return ({ id, name }) =>
    patterns.includes(id) || patterns.includes('*') || byName.some((matches) => matches(name));
}

/** More dimensions than the platform documents may come, and each takes memory. */
const MOST_KNOWN = 1_000;

/**
 * Whether a dimension matches any of the patterns. What was said of a dimension is remembered: all targets of a product
 * have the same few, and every poll asks for each of them several times.
 */
export function wantedDimensions(patterns: readonly string[]): (dimension: string) => boolean {
  const matches = picomatch([...patterns]);
  const known = new Map<string, boolean>();
  return (dimension) => {
    const before = known.get(dimension);
    if (before !== undefined) return before;
    const isWanted = matches(dimension);
    if (known.size < MOST_KNOWN) known.set(dimension, isWanted);
    return isWanted;
  };
}
