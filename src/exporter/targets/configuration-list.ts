import type { Product } from '../catalogue/products.ts';
import { furtherPages, type List } from '../platform/pages.ts';
import { PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import { beginningOf } from '../text/received.ts';

/** A configuration of a product, as the platform lists it. */
export interface Configuration {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Ids of its domains; empty in the analytics API. */
  readonly domains: readonly string[];
}

/** Configurations decoded from a response. */
export interface Discovered {
  readonly configurations: readonly Configuration[];
  /** Number of invalid items. */
  readonly rejected: number;
  /** Number of items beyond the limit. */
  readonly overLimit: number;
}

/** Maximum length of a valid id. */
const ID_CHARACTERS = 200;

/** Returns the read that lists a product's configurations (sections 4.12 and 4.13). */
function configurationsResource({ api, id }: Product): Resource {
  return { path: `/${api}/products/${id}/configurations`, version: api === 'analytics' ? 1 : 2 };
}

/** A list before its items are decoded. */
export interface ListedItems {
  /** Items of all pages, not validated. */
  readonly items: readonly unknown[];
  readonly pages: number;
  /** Size (bytes) of the first page. */
  readonly bytes: number;
}

/**
 * Reads the list of a product's configurations. The specification shows it without pages. If the response announces further pages,
 * reads them until the items exceed the limit, so that no configuration is missed silently.
 * @param list `most` is the maximum number of configurations
 * @throws PlatformFailure if a page cannot be read, or the response is not a list
 */
export async function readListed(
  { product, most, ...list }: { readonly product: Product; readonly most: number } & Pick<List, 'ends'>,
  read: Read,
  signal: AbortSignal,
): Promise<ListedItems> {
  const resource = configurationsResource(product);
  const { body, bytes } = await read(() => resource, signal);
  let items = itemsOf(body);
  let pages = 1;
  for await (const further of furtherPages(body, read, { ...resource, ...list }, signal)) {
    items = [...items, ...further];
    pages += 1;
    if (items.length > most) break;
  }
  return { items, pages, bytes };
}

/**
 * Decodes the list of a product's configurations in small steps: a bare array, a `results` envelope or a single object. Skips and
 * counts invalid items; the first of several items with the same id counts.
 * @param most maximum number of configurations, in the order of the list
 * @throws PlatformFailure `undecodable` if the response is not a list
 */
export function decodeConfigurations(body: unknown, most: number): Discovered {
  const items = itemsOf(body);
  const byId = new Map<string, Configuration>();
  let rejected = 0;
  for (const [index, item] of items.entries()) {
    if (byId.size >= most) {
      return { configurations: [...byId.values()], rejected, overLimit: items.length - index };
    }
    const configuration = configurationOf(item);
    if (configuration === undefined || byId.has(configuration.id)) rejected += 1;
    else byId.set(configuration.id, configuration);
  }
  return { configurations: [...byId.values()], rejected, overLimit: 0 };
}

/** Decodes an item without a schema, because a schema takes a hundred times as long and a list may have thousands of items. */
function configurationOf(item: unknown): Configuration | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { id, name, active, domains }: { readonly [Field in keyof Configuration]?: unknown } = item;
  const ids = [id, ...listOf(domains)].map(idOf);
  if (!ids.every((text) => text !== undefined)) return undefined;
  const [own = '', ...others] = ids;
  if (typeof (name ?? '') !== 'string' || typeof (active ?? true) !== 'boolean') return undefined;
  return { id: own, name: beginningOf(String(name ?? '')), active: active !== false, domains: others };
}

/** Returns the items of a list. Any other value becomes a single item, which is not a valid id. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === null || value === undefined ? [] : [undefined];
}

/** Returns a valid id; undefined otherwise. An id must be usable in paths and in keys. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  if (typeof value !== 'string' || value.length === 0 || value.length > ID_CHARACTERS) return undefined;
  return Buffer.from(value).toString() === value ? value : undefined;
}

function itemsOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) {
    throw new PlatformFailure('undecodable', 'the list of configurations is neither an array nor an object');
  }
  if ('id' in body) return [body];
  if (!('results' in body)) {
    throw new PlatformFailure('undecodable', 'the list of configurations is an object without results');
  }
  const { results } = body;
  if (results === null) return [];
  return Array.isArray(results) ? results : [results];
}
