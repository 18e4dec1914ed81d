import { PlatformFailure } from '../platform/outcome.ts';
import { readPages } from '../platform/pages.ts';
import type { Read, Resource } from '../platform/read.ts';
import type { DetailRead, Details } from './declaration.ts';

/** Which item is read, and where. */
export interface DetailPlace {
  readonly id: string;
  readonly version: Resource['version'];
  /** The account's origin, which page links must not leave. */
  readonly origin: string;
}

/** What was read of one item by itself. */
export interface DetailsRead<Detailed> {
  readonly detail: Detailed;
  /** Why a part of it is missing; undefined where none is. */
  readonly failure: PlatformFailure | undefined;
}

/**
 * Reads what is declared of one item by itself. Once the item itself was read, a further part that cannot be had costs
 * only that part. @throws PlatformFailure when the item itself cannot be read
 */
export async function readDetails<Detailed>(
  { reads, fields }: Details<Detailed>,
  place: DetailPlace,
  read: Read,
  signal: AbortSignal,
): Promise<DetailsRead<Detailed>> {
  const found: Record<string, unknown> = {};
  let failure: PlatformFailure | undefined;
  for (const [index, part] of reads.entries()) {
    try {
      Object.assign(found, await readPart(part, place, read, signal));
    } catch (error) {
      if (index === 0 || !(error instanceof PlatformFailure)) throw error;
      failure = ofPart(error, part);
    }
  }
  const { data } = fields.safeParse(found);
  if (data === undefined) throw new PlatformFailure('undecodable', `unusable answer to ${reads[0]?.path}`);
  return { detail: data, failure };
}

async function readPart(
  { path: pattern, listAs }: DetailRead,
  { id, version, origin }: DetailPlace,
  read: Read,
  signal: AbortSignal,
): Promise<object> {
  const path = pattern.replace(':id', encodeURIComponent(id));
  if (listAs === undefined) return resultOf((await read(() => ({ path, version }), signal)).body);
  const items: unknown[] = [];
  for await (const page of readPages(read, { path, version, origin }, signal)) items.push(...page);
  return { [listAs]: items };
}

/** The item was read: that a part of it is not found or refused says nothing of the item, nor of the next one. */
function ofPart(failure: PlatformFailure, { path }: DetailRead): PlatformFailure {
  if (failure.outcome !== 'not_found' && failure.outcome !== 'forbidden') return failure;
  return new PlatformFailure('undecodable', `${path}: ${failure.message}`, failure.status);
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
