import type { Product } from '../catalogue/products.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import { readPages } from '../platform/pages.ts';
import type { Read } from '../platform/read.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import type { CollectorContext, ConfigurationIds } from './collector.ts';

/** Items whose ids are of one kind. */
export interface ItemIds {
  /** Which ids these are, in plain words. */
  readonly kind: string;
  readonly items: readonly unknown[];
}

/** The permission to list the configurations of products (section 5). */
export const LIST_PERMISSION = 'Analytics';

/** There is no list to take ids from. */
export class IdsUnavailable extends PlatformFailure {}

/**
 * What may be the ids of configurations, the likeliest first. The specification does not say which kind of id a path
 * takes (section 4.14), so the caller uses the first kind that the platform knows. An empty list gives way to the next;
 * the last one is read only where the platform knows none of the others.
 * @throws IdsUnavailable when no list can be read
 */
export async function* candidateIds(
  { products, otherwise }: ConfigurationIds,
  context: Pick<CollectorContext, 'named' | 'configurations' | 'origin'>,
  read: Read,
  signal: AbortSignal,
): AsyncGenerator<ItemIds, void, void> {
  const { named, configurations, origin } = context;
  if (named.length > 0) return yield { kind: 'ids of the configuration', items: named.map((id) => ({ id })) };
  const lists = products.map((product) => ({ product, list: configurations(product) }));
  const found = idsOfProducts(lists);
  yield* found;
  const items: unknown[] = [];
  try {
    for await (const page of readPages(read, { ...otherwise, origin }, signal)) items.push(...page);
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    if (lists.some(({ list }) => list !== undefined)) return;
    const reason = `no list of configurations can be read: those of products need the permission ${LIST_PERMISSION}, ${otherwise.path} needs ${otherwise.permission} (${failure.message})`;
    throw new IdsUnavailable(failure.outcome, reason, failure.status);
  }
  if (items.length > 0 || found.length === 0) yield { kind: otherwise.path, items };
}

/** All ids in the lists of products that were discovered: of configurations, and of their domains. */
export function listedIds(
  { products }: ConfigurationIds,
  { configurations }: Pick<CollectorContext, 'configurations'>,
): ReadonlySet<string> {
  const lists = products.flatMap((product) => configurations(product) ?? []);
  return new Set(lists.flatMap(({ id, domains }) => [id, ...domains]));
}

/**
 * Ids in the lists of products: the configurations' own, then those of their domains. Inactive ones are among them: what is
 * set for them is in force again the moment they are switched on.
 */
function idsOfProducts(
  lists: readonly { product: Product; list: readonly Configuration[] | undefined }[],
): ItemIds[] {
  const own: ItemIds[] = [];
  const domains: ItemIds[] = [];
  for (const { product, list = [] } of lists) {
    const ids = list.flatMap(({ name, domains }) => domains.map((id) => ({ id, name })));
    own.push({
      kind: `configurations of ${product.slug}`,
      items: list.map(({ id, name }) => ({ id, name })),
    });
    domains.push({ kind: `domains of ${product.slug}`, items: ids });
  }
  return [...own, ...domains].filter(({ items }) => items.length > 0);
}
