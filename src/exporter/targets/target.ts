import type { Labels } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import type { Resource } from '../platform/read.ts';
import { type Window, windowQuery } from '../settling/window.ts';
import { matchesAny } from '../text/glob.ts';
import type { Configuration } from './configuration-list.ts';

/** Entity whose series are read together: a configuration of a product, or a product as a whole. */
export interface Target {
  readonly account: string;
  readonly product: Product;
  readonly by: 'configuration' | 'product';
  /** Id in the path and in the response: that of the configuration, of one of its domains, or of the product. */
  readonly id: string;
  /** Name of the configuration; empty for a product. */
  readonly name: string;
  /** Id of the configuration, if `id` is that of its only domain; otherwise undefined. */
  readonly owner?: string;
}

/** Returns the id of a target for APIs that know configurations only by their own ids. */
export function ownId({ id, owner = id }: Target): string {
  return owner;
}

/** Returns the name of a target, unique within its product. */
export function targetName({ by, id }: Pick<Target, 'by' | 'id'>): string {
  return `${by}/${id}`;
}

/** Returns the labels that every series of a target has. */
export function targetLabels({ account, product, by, id, name }: Target): Labels {
  return by === 'product'
    ? { account, product: product.slug }
    : { account, product: product.slug, configuration_id: id, configuration: name };
}

/**
 * Returns the labels of a target joined with those of a series. Assigns them one by one: in V8, `{ ...a, ...b }` gives each object
 * its own hidden class, which takes four times its memory.
 */
export function labelsIn(target: Target, labels: Labels): Labels {
  return Object.assign(targetLabels(target), labels);
}

/** Series to read: one metric of a target, with one dimension or all of them. */
export interface SeriesQuestion {
  readonly target: Target;
  readonly metric: string;
  readonly dimension?: string;
  readonly window: Window;
}

/** Returns the read of a series (sections 4.12 and 4.13). Without a dimension, one operation reads all dimensions of the metric. */
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
 * Kind of id that identifies a configuration in the paths of an API. `only_domain` is the id of its only domain, or else its own,
 * for a source without series of single domains.
 */
export type Addressing = 'configuration' | 'domain' | 'only_domain';

/** Names (globs) or ids of configurations to include and exclude. */
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
      // A domain that belongs to two configurations has one series.
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
 * Returns a function that is true for selected configurations: included by name or id, and not excluded. An inactive configuration
 * usually has no traffic, so only its exact name or id includes it, not a pattern.
 */
export function selector({ include, exclude }: Selection): (configuration: Configuration) => boolean {
  const included = matcher(include);
  const excluded = matcher(exclude);
  const isMeant = ({ active, id, name }: Configuration) =>
    active || include.includes(id) || include.includes(name);
  return (configuration) => isMeant(configuration) && included(configuration) && !excluded(configuration);
}

/** Returns true if a name (a glob) or an id matches none of the configurations. Returns false for an empty list. */
export function matchesNothing(pattern: string, configurations: readonly Configuration[]): boolean {
  return pattern !== '*' && !configurations.some(matcher([pattern]));
}

/**
 * Returns a function that is true if the series of a configuration can be read. If the API takes ids of domains and other
 * configurations have domains, one without domains has no id and no traffic.
 */
export function addressedIn(
  configurations: readonly Configuration[],
  addressing: Addressing,
): (configuration: Configuration) => boolean {
  const needsDomain = addressing === 'domain' && configurations.some(({ domains }) => domains.length > 0);
  return ({ domains }) => !needsDomain || domains.length > 0;
}

/** Returns the ids that identify a configuration. A configuration without domains has its own id. */
export function addresses({ id, domains }: Configuration, addressing: Addressing): readonly string[] {
  if (addressing === 'only_domain') return domains.length === 1 ? domains : [id];
  return addressing === 'domain' && domains.length > 0 ? domains : [id];
}

function matcher(patterns: readonly string[]): (configuration: Configuration) => boolean {
  const ids = new Set(patterns);
  const byName = matchesAny(patterns);
  return ({ id, name }) => ids.has(id) || byName(name);
}
