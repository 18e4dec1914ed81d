import { PlatformFailure } from '../platform/outcome.ts';
import { readPages } from '../platform/pages.ts';
import type { Read, Resource } from '../platform/read.ts';
import type { Details } from './declaration.ts';

/** Which item is read, and where. */
export interface DetailPlace {
  readonly id: string;
  readonly version: Resource['version'];
  /** The account's origin, which page links must not leave. */
  readonly origin: string;
}

/** Reads what is declared of one item by itself. @throws PlatformFailure */
export async function readDetails<Detailed>(
  { reads, fields }: Details<Detailed>,
  { id, version, origin }: DetailPlace,
  read: Read,
  signal: AbortSignal,
): Promise<Detailed> {
  const found: Record<string, unknown> = {};
  for (const { path: pattern, listAs } of reads) {
    const path = pattern.replace(':id', encodeURIComponent(id));
    if (listAs === undefined) {
      const { body } = await read(() => ({ path, version }), signal);
      Object.assign(found, resultOf(body));
    } else {
      const items: unknown[] = [];
      for await (const page of readPages(read, { path, version, origin }, signal)) items.push(...page);
      found[listAs] = items;
    }
  }
  const { data } = fields.safeParse(found);
  if (data === undefined) throw new PlatformFailure('undecodable', `unusable answer to ${reads[0]?.path}`);
  return data;
}

/** The one object of an answer: in an envelope or bare, now and then as a list of one. @throws PlatformFailure */
function resultOf(body: unknown): object {
  const results = isObject(body) && 'results' in body ? body.results : body;
  const one: unknown = Array.isArray(results) && results.length === 1 ? results[0] : results;
  if (isObject(one) && !Array.isArray(one)) return one;
  throw new PlatformFailure('undecodable', 'the answer contains no object');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
