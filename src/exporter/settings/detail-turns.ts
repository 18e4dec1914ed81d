import { isDeepStrictEqual } from 'node:util';

/** Details of an item beyond its row in the list. */
interface Known<Detail> {
  /** The row in the list when it was read. */
  row: unknown;
  /** Undefined if it was never read, or is not available. */
  detail: Detail | undefined;
  /** Turn in which it was last asked for. */
  turn: number;
  /** Consecutive failed reads. */
  misses: number;
}

/** Least number of items read at a time, so that an ordinary account is read whole each time. */
const AT_LEAST = 50;

/** A round through all items takes at most this many reads. */
const READS_PER_ROUND = 12;

/** Number of consecutive failures after which former details are dropped. */
const MAX_MISSES = 3;

/** Returns the number of items that are read in one turn. */
export function turnSize(items: number): number {
  return Math.min(items, Math.max(AT_LEAST, Math.ceil(items / READS_PER_ROUND)));
}

/**
 * Items that are read one by one in turns, because reading hundreds each time is too expensive. Changed items come
 * first, then those never read, then the others in rotation.
 */
export class DetailTurns<Detail> {
  readonly #known = new Map<string, Known<Detail>>();
  #turn = 0;

  /** Returns the ids to read now; forgets missing items. */
  next(rows: ReadonlyMap<string, unknown>): string[] {
    for (const id of this.#known.keys()) if (!rows.has(id)) this.#known.delete(id);
    this.#turn += 1;
    const ranked = [...rows].map(([id, row]) => ({ id, rank: this.#rank(id, row) }));
    return ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, turnSize(rows.size))
      .map(({ id }) => id);
  }

  /** True if any item could be read. */
  get hasRead(): boolean {
    return [...this.#known.values()].some(({ detail }) => detail !== undefined);
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
    // Items that could not be read come after the others that were asked for together.
    return changed ? -2 : known.turn + (known.misses > 0 ? 0.5 : 0);
  }
}
