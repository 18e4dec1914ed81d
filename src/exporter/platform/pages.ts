import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { PlatformFailure, type Read, type Resource } from './read.ts';

/** Requested page size, for few operations per list. If the platform responds with 400, the documented size is requested. */
const ASKED_PAGE_SIZE = 100;
/** The platform's default page size (section 8), which it must therefore accept. */
const DOCUMENTED_PAGE_SIZE = 10;
/** Maximum number of pages: no account has longer lists, and a platform that never ends a list is defective. */
const MOST_PAGES = 1_000;
/** Maximum number of items in one response. A page has 100; a list without pages has some thousands in the largest accounts. */
const MOST_ITEMS = 20_000;

/** A list of the platform's API. */
export interface List extends Resource {
  /** Record of earlier incomplete reads; undefined if the list is read only once. */
  readonly ends?: EarlyEnds;
}

/** Number of consecutive reads with the same incomplete end after which it is accepted, whatever count is announced. */
const ENDS_ALIKE = 3;

/**
 * Records reads of a list that ended before the announced number of items. Either the platform failed briefly, or its count
 * includes items that the token may not read. In the second case the rest can never be read.
 */
export class EarlyEnds {
  #items = 0;
  #reads = 0;

  /** Records that the list was read to its announced end. */
  clear(): void {
    this.#reads = 0;
  }

  /** Records an incomplete read, and returns true if its end is accepted. */
  believes(items: number): boolean {
    this.#reads = items === this.#items ? this.#reads + 1 : 1;
    this.#items = items;
    return this.#reads >= ENDS_ALIKE;
  }
}

/**
 * Yields the non-empty pages of a list. Requests each page by number and follows no link; each page is one operation. A list that
 * changes during the read may contain an item twice or lack it. The latest page determines the number of pages.
 * @throws PlatformFailure if a page cannot be read; `undecodable` if the pages do not end, or if an empty page announces more
 */
export async function* readPages(
  read: Read,
  list: List,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  yield* pagesFrom(await firstPage(read, list, signal), read, list, signal);
}

/**
 * Yields the items of further pages of a version 1 or 2 list, if its response announces any (section 9 documents none).
 * @param body first response, with any number of unchecked items
 * @throws PlatformFailure as {@link readPages}
 */
export async function* furtherPages(
  body: unknown,
  read: Read,
  list: List,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  const page = readPage(body, Number.POSITIVE_INFINITY);
  // If the platform announces no further pages, there are none.
  const pages = pagesFrom({ page, size: Number.POSITIVE_INFINITY }, read, list, signal);
  await pages.next();
  yield* pages;
}

/** Yields the first page and those after it. @param first the first page, and the page size that the platform accepted */
async function* pagesFrom(
  first: { readonly page: ListPage; readonly size: number },
  read: Read,
  list: List,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  // The platform may limit pages to the documented size, whatever size is requested.
  const full = list.version === 3 ? Math.min(first.size, DOCUMENTED_PAGE_SIZE) : first.size;
  let { page } = first;
  let collected = 0;
  const end = (found: NoItems, tells: ListPage, number: number): void => {
    const trouble = troubleWith(found, tells, { number, collected, size: first.size });
    if (trouble === undefined || list.ends?.believes(collected)) return;
    throw new PlatformFailure('undecodable', trouble);
  };
  for (let number = 1; ; number += 1) {
    if (page.items.length === 0) return end('empty', page, number);
    yield page.items;
    collected += page.items.length;
    if (isLast(page, number, collected, full)) return list.ends?.clear();
    if (number === MOST_PAGES)
      throw new PlatformFailure('undecodable', `the list does not end after ${MOST_PAGES} pages`);
    const next = await laterPage(page, read, list, first.size, number + 1, signal);
    if (next === undefined) return end('not there', page, number + 1);
    if (isDeepStrictEqual(next.items, page.items)) return end('again', page, number + 1);
    page = next;
  }
}

/** Returns the first page, and the page size that the platform accepted. */
async function firstPage(
  read: Read,
  list: List,
  signal: AbortSignal,
): Promise<{ page: ListPage; size: number }> {
  try {
    return { page: await readNumbered(read, list, ASKED_PAGE_SIZE, 1, signal), size: ASKED_PAGE_SIZE };
  } catch (error) {
    const sizeRefused = error instanceof PlatformFailure && error.status === 400 && list.version === 3;
    if (!sizeRefused) throw error;
    return {
      page: await readNumbered(read, list, DOCUMENTED_PAGE_SIZE, 1, signal),
      size: DOCUMENTED_PAGE_SIZE,
    };
  }
}

/** Returns a later page; undefined if it does not exist, because the list became shorter. @param before the previous page */
async function laterPage(
  before: ListPage,
  read: Read,
  list: List,
  size: number,
  number: number,
  signal: AbortSignal,
): Promise<ListPage | undefined> {
  try {
    return await readNumbered(read, list, size, number, signal);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    if (error.outcome === 'not_found' || (error.status === 400 && isBeyond(before, number))) return undefined;
    throw error;
  }
}

async function readNumbered(
  read: Read,
  { path, version, query }: List,
  size: number,
  number: number,
  signal: AbortSignal,
): Promise<ListPage> {
  // Versions 1 and 2 have no pages (section 9). If an answer announces several, the rest is read by number.
  const paging = {
    ...((version === 3 || number > 1) && { page: String(number) }),
    ...(version === 3 && { page_size: String(size) }),
  };
  const { body } = await read(() => ({ path, version, query: { ...query, ...paging } }), signal);
  return readPage(body);
}

/** Returns true if a page is the last one. @param full number of items in a full page, if no further pages are announced */
function isLast(
  { items, totalPages, count, hasNext }: ListPage,
  number: number,
  collected: number,
  full: number,
): boolean {
  const isWhole = count !== undefined && collected >= count;
  // A platform that returns smaller pages than requested may announce too few.
  if (totalPages !== undefined)
    return number >= totalPages && (isWhole || count === undefined || items.length < full);
  if (count !== undefined) return isWhole;
  return hasNext === undefined ? items.length < full : !hasNext;
}

/** Returns true if the page is beyond the announced ones, and therefore ends the list. */
function isBeyond({ totalPages }: ListPage, number: number): boolean {
  return totalPages !== undefined && number > totalPages;
}

/** Kinds of a page without new items: empty, missing, or a repetition. */
type NoItems = 'empty' | 'not there' | 'again';

/**
 * Returns the reason why a page without new items cannot be the end of the list, because announced items would be missing.
 * Undefined if it is the end.
 * @param tells page with the announcement: the empty page itself, or the previous page
 */
function troubleWith(
  found: NoItems,
  tells: ListPage,
  { number, collected, size }: { readonly number: number; readonly collected: number; readonly size: number },
): string | undefined {
  const { items, totalPages, count, hasNext } = tells;
  if (isBeyond(tells, number)) return undefined;
  if (found === 'again') {
    // A platform that ignores the page number may return the whole list every time.
    const isSilent = count === undefined && totalPages === undefined && hasNext === undefined;
    const isWhole = isSilent ? items.length !== size : count !== undefined && items.length >= count;
    return isWhole ? undefined : `page ${number} of the list is page ${number - 1} again`;
  }
  const counted = count !== undefined && count > collected ? `${count} items` : undefined;
  const isLastPage = found === 'empty' && totalPages === number;
  const paged = totalPages !== undefined && !isLastPage ? `${totalPages} pages` : undefined;
  const told = counted ?? paged ?? (hasNext && found === 'not there' ? 'links to it' : undefined);
  return told && `page ${number} of the list is ${found}, though there are ${told}`;
}

/** Content of one response to a list read, in any of its shapes. */
export interface ListPage {
  readonly items: readonly unknown[];
  /** Number of pages of the whole list; undefined if the platform does not announce it. */
  readonly totalPages: number | undefined;
  readonly count: number | undefined;
  /** True if the response has a link to a next page; undefined if it has no links at all. */
  readonly hasNext: boolean | undefined;
}

const amount = z.number().int().nonnegative().optional().catch(undefined);

/** List envelope of section 2 with the fields that paging needs, each of which has been missing in real responses. */
const Envelope = z.object({
  count: amount,
  total_pages: amount,
  links: z
    .object({ next: z.string().nullish().catch(null) })
    .optional()
    .catch(undefined),
  results: z.unknown().optional(),
});

/**
 * Decodes the response to a list read. A version 3 envelope has an array, null, one object, or an object with the array in
 * `records` as results. Without an envelope (versions 1 and 2), the response is an array or one object.
 * @param most maximum number of items of a page
 * @throws PlatformFailure `undecodable` for any other response
 */
export function readPage(body: unknown, most = MOST_ITEMS): ListPage {
  if (Array.isArray(body)) return onlyPage(body, most);
  const envelope = Envelope.safeParse(body);
  if (!envelope.success)
    throw new PlatformFailure('undecodable', 'the answer is neither a list nor an object');
  const { count, total_pages: totalPages, links, results } = envelope.data;
  if (results === undefined && totalPages === undefined && count === undefined) return onlyPage([body], most);
  // Only the presence of a link matters: behind a TLS terminator it has another scheme, port or host.
  const hasNext = links === undefined ? undefined : typeof links.next === 'string';
  return { items: itemsOf(results, most), totalPages, count, hasNext };
}

function onlyPage(given: readonly unknown[], most: number): ListPage {
  const items = bounded(given, most);
  return { items, totalPages: 1, count: items.length, hasNext: false };
}

function itemsOf(results: unknown, most: number): readonly unknown[] {
  if (results === null || results === undefined) return [];
  if (Array.isArray(results)) return bounded(results, most);
  if (typeof results !== 'object') {
    throw new PlatformFailure('undecodable', 'the results of a list are neither an array nor an object');
  }
  if (!('records' in results)) return [results];
  return itemsOf(results.records, most);
}

/** Limits the number of items, because the check of each does not yield to other work. */
function bounded(items: readonly unknown[], most: number): readonly unknown[] {
  if (items.length <= most) return items;
  throw new PlatformFailure('undecodable', `a page of the list has more than ${most} items`);
}
