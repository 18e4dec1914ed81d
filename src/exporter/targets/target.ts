import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Resource } from '../platform/read.ts';
import { type Window, windowQuery } from '../settling/window.ts';
import { matchesAny } from '../text/glob.ts';
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
  /** The configuration's own id, where `id` is that of its only domain. */
  readonly owner?: string;
}

/** The id that a target has for APIs that know configurations by their own ids alone. */
export function ownId({ id, owner = id }: Target): string {
  return owner;
}

/** Returns the name of a target among those of its product. */
export function targetName({ by, id }: Pick<Target, 'by' | 'id'>): string {
  return `${by}/${id}`;
}

/** The labels that every series of a target carries. */
export function targetLabels({ account, product, by, id, name }: Target): Labels {
  return by === 'product'
    ? { account, product: product.slug }
    : { account, product: product.slug, configuration_id: id, configuration: name };
}

/**
 * Returns the labels of a series: the target's with its own. Measured, `{ ...a, ...b }` of labels gives each object a
 * hidden class of its own in V8, which takes four times as much memory as the object.
 */
export function labelsIn(target: Target, labels: Labels): Labels {
  return Object.assign(targetLabels(target), labels);
}

/** Series to read: one metric of a target, and one of its dimensions or all. */
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

/**
 * Kind of id that stands for a configuration in the paths of an API. `only_domain`: the id of its only domain, else its
 * own, for a source without series of single domains.
 */
export type Addressing = 'configuration' | 'domain' | 'only_domain';

/** Names (globs) or ids of configurations that are wanted and not wanted. */
export interface Selection {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Requested targets of a product: its configurations, the product as a whole, or both. */
export interface TargetSelection {
  readonly by: readonly Target['by'][];
  readonly configurations: Selection;
}

/** Returns the targets of a product: its selected configurations, the product as a whole, or both. */
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
  const isAddressed = addressedIn(configurations, addressing);
  for (const configuration of configurations) {
    if (!selects(configuration) || !isAddressed(configuration)) continue;
    const ids = addresses(configuration, addressing);
    for (const id of ids) {
      // A domain listed under two configurations has one series.
      if (taken.has(id)) continue;
      taken.add(id);
      const { id: owner, name } = configuration;
      const isOwn = ids.length > 1 || id === owner;
      targets.push({ account, product, by: 'configuration', id, name, ...(!isOwn && { owner }) });
    }
  }
  return targets;
}

/**
 * Returns a function that is true for selected configurations: included by name or id, and not excluded by either. An
 * inactive one usually has no traffic: it is selected only by its own name or id, not by a pattern.
 */
export function selector({ include, exclude }: Selection): (configuration: Configuration) => boolean {
  const included = matcher(include);
  const excluded = matcher(exclude);
  const isMeant = ({ active, id, name }: Configuration) =>
    active || include.includes(id) || include.includes(name);
  return (configuration) => isMeant(configuration) && included(configuration) && !excluded(configuration);
}

/** Returns true if a name (a glob) or an id matches no configuration of a list that has some. */
export function matchesNothing(pattern: string, configurations: readonly Configuration[]): boolean {
  return pattern !== '*' && !configurations.some(matcher([pattern]));
}

/**
 * Returns a function that is true if series of a configuration of this list can be asked for. If others of the product
 * have domains, whose ids the API takes, one without domains has no id and no traffic.
 */
export function addressedIn(
  configurations: readonly Configuration[],
  addressing: Addressing,
): (configuration: Configuration) => boolean {
  const needsDomain = addressing === 'domain' && configurations.some(({ domains }) => domains.length > 0);
  return ({ domains }) => !needsDomain || domains.length > 0;
}

/** The ids that stand for a configuration; one without domains is addressed by its own id. */
export function addresses({ id, domains }: Configuration, addressing: Addressing): readonly string[] {
  if (addressing === 'only_domain') return domains.length === 1 ? domains : [id];
  return addressing === 'domain' && domains.length > 0 ? domains : [id];
}

function matcher(patterns: readonly string[]): (configuration: Configuration) => boolean {
  const ids = new Set(patterns);
  const byName = matchesAny(patterns);
  return ({ id, name }) => ids.has(id) || byName(name);
}
