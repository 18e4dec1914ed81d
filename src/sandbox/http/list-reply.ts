import type { Call } from '../resource.ts';
import { detail, fieldErrors, ok, type Reply } from './reply.ts';

/** What a list shows; it can be ordered by every field that it shows. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** An item as the list shows it. */
  view(item: Item): Record<string, unknown>;
  readonly maxPageSize: number;
  /** Makes `results` of a page's items; an array by default. */
  wrap?(items: Record<string, unknown>[]): unknown;
}

const DEFAULT_PAGE_SIZE = 10;

/** A page of a version 3 list (specification 2.0 and 4.0): the envelope, or what is wrong with the parameters. */
export function listReply<Item>(call: Call, listing: Listing<Item>): Reply {
  const { order_by: orderBy, sort = 'asc' } = call.query;
  const page = positive(call.query['page'] ?? '1');
  const asked = positive(call.query['page_size'] ?? String(DEFAULT_PAGE_SIZE));
  const problems = {
    ...(page === undefined && { page: ['A valid integer is required.'] }),
    ...(asked === undefined && { page_size: ['A valid integer is required.'] }),
    ...(orderBy !== undefined && !shows(listing, orderBy) && { order_by: ['Unknown field.'] }),
    ...(sort !== 'asc' && sort !== 'desc' && { sort: ['Use asc or desc.'] }),
  };
  if (page === undefined || asked === undefined || Object.keys(problems).length > 0)
    return fieldErrors(problems);
  const size = Math.min(asked, listing.maxPageSize);
  const pages = Math.ceil(listing.items.length / size);
  if (page > Math.max(1, pages)) return detail(404, 'Invalid page.');
  const shown = ordered(listing, orderBy, sort)
    .slice((page - 1) * size, page * size)
    .map(listing.view);
  return ok({
    count: listing.items.length,
    total_pages: pages,
    schema_version: 3,
    links: {
      previous: page > 1 ? link(call, page - 1, size) : null,
      next: page < pages ? link(call, page + 1, size) : null,
    },
    results: listing.wrap ? listing.wrap(shown) : shown,
  });
}

function positive(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** An empty list shows no fields, and every order of it is the same. */
function shows<Item>({ items: [first], view }: Listing<Item>, field: string): boolean {
  return first === undefined || Object.hasOwn(view(first), field);
}

function ordered<Item>(listing: Listing<Item>, field: string | undefined, sort: string): readonly Item[] {
  if (field === undefined) return sort === 'desc' ? listing.items.toReversed() : listing.items;
  const keyed = listing.items.map((item) => ({ item, key: listing.view(item)[field] }));
  const direction = sort === 'desc' ? -1 : 1;
  return keyed.sort((a, b) => direction * compare(a.key, b.key)).map(({ item }) => item);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [sortText(a), sortText(b)];
  return left < right ? -1 : Number(left > right);
}

function sortText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function link({ address, query }: Call, page: number, size: number): string {
  const parameters = new URLSearchParams({ page: String(page), page_size: String(size) });
  for (const name of ['order_by', 'sort', 'name']) {
    const value = query[name];
    if (value !== undefined) parameters.set(name, value);
  }
  return `${address}?${parameters}`;
}
