import { isDeepStrictEqual } from 'node:util';
import { readPages } from '../platform/pages.ts';
import { PlatformFailure, type Read, type Resource } from '../platform/read.ts';
import type { DetailRead, Details } from './collector.ts';

/** What is known of an item beyond its row in the list. */
interface Known<Detail> {
  /** The row in the list when it was read. */
  row: unknown;
  /** Undefined while there is none: never read, or not available. */
  detail: Detail | undefined;
  /** In which turn it was last asked for. */
  turn: number;
  /** How often in a row it could not be read. */
  misses: number;
}

/** As many are read at a time at least, so that an ordinary account is read whole every time. */
const AT_LEAST = 50;

/** A round through all items takes at most this many reads. */
const READS_PER_ROUND = 12;

/** After how many failures in a row what was read before is dropped. */
const MAX_MISSES = 3;

/** How many of the items have their turn in one read. */
export function turnSize(items: number): number {
  return Math.min(items, Math.max(AT_LEAST, Math.ceil(items / READS_PER_ROUND)));
}

/**
 * Whose turn it is to be read by itself. A list of hundreds is not read item by item every time: those whose row in the
 * list changed go first, then those never read, then the others in a round.
 */
export class DetailTurns<Detail> {
  readonly #known = new Map<string, Known<Detail>>();
  #turn = 0;

  /** The ids to read now, of all items by id; forgets those that are not there any more. */
  next(rows: ReadonlyMap<string, unknown>): string[] {
    for (const id of this.#known.keys()) if (!rows.has(id)) this.#known.delete(id);
    this.#turn += 1;
    const ranked = [...rows].map(([id, row]) => ({ id, rank: this.#rank(id, row) }));
    return ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, turnSize(rows.size))
      .map(({ id }) => id);
  }

  detailOf(id: string): Detail | undefined {
    return this.#known.get(id)?.detail;
  }

  /** It was read; undefined when it is not available. */
  enter(id: string, row: unknown, detail: Detail | undefined): void {
    this.#known.set(id, { row, detail, turn: this.#turn, misses: 0 });
  }

  /** It could not be read this time. */
  miss(id: string): void {
    const known = this.#known.get(id) ?? { row: undefined, detail: undefined, turn: 0, misses: 0 };
    const misses = known.misses + 1;
    const detail = misses < MAX_MISSES ? known.detail : undefined;
    this.#known.set(id, { ...known, detail, turn: this.#turn, misses });
  }

  /** Lower goes first. */
  #rank(id: string, row: unknown): number {
    const known = this.#known.get(id);
    if (known === undefined) return -1;
    const changed = known.misses === 0 && !isDeepStrictEqual(known.row, row);
    return changed ? -2 : known.turn;
  }
}

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
