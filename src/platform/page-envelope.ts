import { z } from 'zod';
import { PlatformFailure } from './outcome.ts';

/** What one answer to a list read holds, whatever its shape. */
export interface Page {
  readonly items: readonly unknown[];
  /** Of the whole list, where the platform says so. */
  readonly totalPages: number | undefined;
  readonly count: number | undefined;
  /** Whether a link to a next page is there. Undefined when the platform gives no links at all. */
  readonly hasNext: boolean | undefined;
}

const amount = z.number().int().nonnegative().optional().catch(undefined);

/** Section 2, list envelope: only what paging needs, each field optional, since each has been seen missing. */
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
 * Reads an answer to a list read: a version 3 envelope whose results are an array, null, one object, or an object
 * with the array in `records`; or without an envelope an array or one object (versions 1 and 2).
 * @param origin the account's; a next link that leads off it makes the answer unusable
 * @throws PlatformFailure `undecodable`
 */
export function readPage(body: unknown, origin: string): Page {
  if (Array.isArray(body)) return onlyPage(body);
  const envelope = Envelope.safeParse(body);
  if (!envelope.success)
    throw new PlatformFailure('undecodable', 'the answer is neither a list nor an object');
  const { count, total_pages: totalPages, links, results } = envelope.data;
  if (results === undefined && totalPages === undefined && count === undefined) return onlyPage([body]);
  if (typeof links?.next === 'string' && leavesOrigin(origin, links.next)) {
    const { host } = new URL(links.next, origin);
    throw new PlatformFailure('undecodable', `link to a next page on another origin (${host}) refused`);
  }
  const hasNext = links === undefined ? undefined : typeof links.next === 'string';
  return { items: itemsOf(results), totalPages, count, hasNext };
}

function onlyPage(items: readonly unknown[]): Page {
  return { items, totalPages: 1, count: items.length, hasNext: false };
}

function itemsOf(results: unknown): readonly unknown[] {
  if (results === null || results === undefined) return [];
  if (Array.isArray(results)) return results;
  if (typeof results !== 'object') {
    throw new PlatformFailure('undecodable', 'the results of a list are neither an array nor an object');
  }
  if (!('records' in results)) return [results];
  return itemsOf(results.records);
}

/** Whether a link that the platform gave, absolute or relative, leads off the account's origin. */
function leavesOrigin(origin: string, link: string): boolean {
  return URL.canParse(link, origin) && new URL(link, origin).origin !== new URL(origin).origin;
}
