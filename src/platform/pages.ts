import { isDeepStrictEqual } from 'node:util';
import { PlatformFailure } from './outcome.ts';
import { type Page, readPage } from './page-envelope.ts';
import type { Read, Resource } from './read.ts';

/** Fewer operations per list; the platform's own maximum is not documented. */
const ASKED_PAGE_SIZE = 100;
/** What the platform uses when not asked (section 8), so it must accept it. */
const DOCUMENTED_PAGE_SIZE = 10;
/** No account has lists this long; a platform that never stops is defective. */
const MOST_PAGES = 1_000;

/** A list of the platform's API. */
export interface List extends Resource {
  /** The account's origin, which links to a next page must not leave. */
  readonly origin: string;
  /** Items to ask for at once; 100 unless told. A platform that answers 400 to it is asked for 10. */
  readonly pageSize?: number;
}

/**
 * The pages of a list, without empty ones. The next page is asked for by number and no link is ever followed. Each
 * page is one operation. A list that changes while it is read may show an item twice or, for that one time, not at
 * all; the newest page's word on the number of pages counts.
 * @throws PlatformFailure when a page cannot be read, or `undecodable` when the pages do not come to an end
 */
export async function* readPages(
  read: Read,
  list: List,
  signal: AbortSignal,
): AsyncGenerator<readonly unknown[]> {
  const first = await firstPage(read, list, signal);
  let page: Page | undefined = first.page;
  let collected = 0;
  for (let number = 1; page !== undefined && page.items.length > 0; number += 1) {
    yield page.items;
    collected += page.items.length;
    if (isLast(page, number, collected, first.size)) return;
    if (number === MOST_PAGES) {
      throw new PlatformFailure('undecodable', `the list does not end after ${MOST_PAGES} pages`);
    }
    const next = await laterPage(read, list, first.size, number + 1, signal);
    if (isDeepStrictEqual(next?.items, page.items)) return repeated(page, number);
    page = next;
  }
}

/** The first page, and the page size that the platform accepted. */
async function firstPage(read: Read, list: List, signal: AbortSignal): Promise<{ page: Page; size: number }> {
  const size = list.pageSize ?? ASKED_PAGE_SIZE;
  try {
    return { page: await readNumbered(read, list, size, 1, signal), size };
  } catch (error) {
    const sizeRefused = error instanceof PlatformFailure && error.status === 400 && list.version === 3;
    if (!sizeRefused || size === DOCUMENTED_PAGE_SIZE) throw error;
    return {
      page: await readNumbered(read, list, DOCUMENTED_PAGE_SIZE, 1, signal),
      size: DOCUMENTED_PAGE_SIZE,
    };
  }
}

/** Undefined when the list got shorter meanwhile, so that the page is not there any more. */
async function laterPage(
  read: Read,
  list: List,
  size: number,
  number: number,
  signal: AbortSignal,
): Promise<Page | undefined> {
  try {
    return await readNumbered(read, list, size, number, signal);
  } catch (error) {
    if (error instanceof PlatformFailure && error.outcome === 'not_found') return undefined;
    throw error;
  }
}

async function readNumbered(
  read: Read,
  { path, version, query, origin }: List,
  size: number,
  number: number,
  signal: AbortSignal,
): Promise<Page> {
  // Versions 1 and 2 know no pages (section 9); should one answer with several, the rest is asked for by number.
  const paging = {
    ...((version === 3 || number > 1) && { page: String(number) }),
    ...(version === 3 && { page_size: String(size) }),
  };
  const { body } = await read(() => ({ path, version, query: { ...query, ...paging } }), signal);
  return readPage(body, origin);
}

function isLast(
  { items, totalPages, count, hasNext }: Page,
  number: number,
  collected: number,
  size: number,
): boolean {
  if (totalPages !== undefined) return number >= totalPages;
  if (count !== undefined) return collected >= count;
  return hasNext === undefined ? items.length < size : !hasNext;
}

/** A platform that ignores the page number. If it gives the whole list every time, the first page was enough. */
function repeated({ items, count }: Page, number: number): void {
  if (count !== undefined && items.length >= count) return;
  throw new PlatformFailure('undecodable', `page ${number + 1} of the list is page ${number} again`);
}
