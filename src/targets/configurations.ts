import { z } from 'zod';
import type { Product } from '../catalogue/products.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Resource } from '../platform/read.ts';

/** A configuration of a product as the platform lists it. */
export interface Configuration {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Ids of its domains; the analytics API lists none. */
  readonly domains: readonly string[];
}

/** The configurations of an answer. */
export interface Discovered {
  readonly configurations: readonly Configuration[];
  /** How many items were none. */
  readonly rejected: number;
  /** How many items were more than are taken, and were not looked at. */
  readonly overLimit: number;
}

/** An id goes into paths and keys: it must be writable in both. */
const id = z
  .union([z.int(), z.string().min(1).max(200)])
  .transform(String)
  .refine((text) => Buffer.from(text).toString() === text);

const listItem = z.object({
  id,
  name: z.string().nullish(),
  active: z.boolean().nullish(),
  domains: z.array(id).nullish(),
});

/** The read that lists a product's configurations (sections 4.12 and 4.13). */
export function configurationsResource({ api, id }: Product): Resource {
  return { path: `/${api}/products/${id}/configurations`, version: api === 'analytics' ? 1 : 2 };
}

/**
 * Decodes the list of a product's configurations: a bare array, a `results` envelope or a single object. An item that
 * is no configuration is left out and counted; of items with the same id the first counts.
 * @param most how many configurations are taken, those that come first
 * @throws PlatformFailure undecodable when the answer is no list
 */
export function decodeConfigurations(body: unknown, most: number): Discovered {
  const items = itemsOf(body);
  const byId = new Map<string, Configuration>();
  let rejected = 0;
  for (const [index, item] of items.entries()) {
    if (byId.size >= most) {
      return { configurations: [...byId.values()], rejected, overLimit: items.length - index };
    }
    const parsed = listItem.safeParse(item);
    if (!parsed.success || byId.has(parsed.data.id)) {
      rejected += 1;
      continue;
    }
    const { id, name, active, domains } = parsed.data;
    byId.set(id, { id, name: name ?? '', active: active ?? true, domains: domains ?? [] });
  }
  return { configurations: [...byId.values()], rejected, overLimit: 0 };
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
