import type { Settings } from '../account/settings.ts';
import { detail, fieldErrors, ok, type Reply } from '../http/reply.ts';
import type { Call } from './resource-router.ts';

const DEFAULT_PAGE_SIZE = 10;

/**
 * Returns a page of a version 3 list (specification 2.0 and 4.0), or the mistake in the parameters.
 * @param items items in the form of the list, which can be sorted by each of their fields
 * @param wrap returns `results` with a page's items
 */
export function listReply(
  { address, query }: Call,
  items: readonly Record<string, unknown>[],
  wrap: (items: readonly object[]) => unknown,
  { maxPageSize }: Settings,
): Reply {
  const { order_by: orderBy, sort = 'asc' } = query;
  const page = positive(query['page'] ?? '1');
  const asked = positive(query['page_size'] ?? String(DEFAULT_PAGE_SIZE));
  // An empty list has no fields, so any sort order is accepted.
  const isUnknown = orderBy !== undefined && items[0] !== undefined && !Object.hasOwn(items[0], orderBy);
  const problems = {
    ...(page === undefined && { page: ['A valid integer is required.'] }),
    ...(asked === undefined && { page_size: ['A valid integer is required.'] }),
    ...(isUnknown && { order_by: ['Unknown field.'] }),
    ...(sort !== 'asc' && sort !== 'desc' && { sort: ['Use asc or desc.'] }),
  };
  if (page === undefined || asked === undefined || Object.keys(problems).length > 0)
    return fieldErrors(problems);
  const size = Math.min(asked, maxPageSize);
  const pages = Math.ceil(items.length / size);
  if (page > Math.max(1, pages)) return detail(404, 'Invalid page.');
  const link = (to: number) => {
    const parameters = new URLSearchParams({ page: String(to), page_size: String(size) });
    for (const name of ['order_by', 'sort', 'name'])
      if (query[name] !== undefined) parameters.set(name, query[name]);
    return `${address}?${parameters}`;
  };
  return ok({
    count: items.length,
    total_pages: pages,
    schema_version: 3,
    links: { previous: page > 1 ? link(page - 1) : null, next: page < pages ? link(page + 1) : null },
    results: wrap(ordered(items, orderBy, sort).slice((page - 1) * size, page * size)),
  });
}

function positive(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

function ordered(items: readonly Record<string, unknown>[], field: string | undefined, sort: string) {
  if (field === undefined) return sort === 'desc' ? items.toReversed() : items;
  const direction = sort === 'desc' ? -1 : 1;
  return items.toSorted((a, b) => direction * compare(a[field], b[field]));
}

/** Compares lists item by item, a prefix before the longer list. Compares numbers by value, everything else as text. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (Array.isArray(a) && Array.isArray(b)) {
    const differs = a.findIndex((item, index) => index >= b.length || compare(item, b[index]) !== 0);
    if (differs < 0 || differs >= b.length) return a.length - b.length;
    return compare(a[differs], b[differs]);
  }
  const [left, right] = [sortText(a), sortText(b)];
  return left < right ? -1 : Number(left > right);
}

function sortText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}
