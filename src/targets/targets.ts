import picomatch from 'picomatch';
import type { Product } from '../catalogue/products.ts';
import type { Configuration } from './configuration-list.ts';
import type { Target } from './target.ts';

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
