import { isDeepStrictEqual } from 'node:util';

/** Details of an item beyond its row in the list. */
interface Known<Detail> {
  /** Row of the list at the time of the read. */
  row: unknown;
  /** Details; undefined if they were never read, or are not available. */
  detail: Detail | undefined;
  /** Number of the turn of the last read. */
  turn: number;
  /** Number of consecutive failed reads. */
  misses: number;
}

/** Least number of items per turn, so that every item of an ordinary account is read each time. */
const AT_LEAST = 50;

/** Maximum number of turns for a round through all items. */
const READS_PER_ROUND = 12;

/** Number of consecutive failures after which former details are dropped. */
const MAX_MISSES = 3;

/** Returns the number of items that are read in one turn. */
export function turnSize(items: number): number {
  return Math.min(items, Math.max(AT_LEAST, Math.ceil(items / READS_PER_ROUND)));
}

/**
 * Items that are read one by one in turns, since reading hundreds each time is too expensive. Changed items come first, then
 * unread ones, then the others in rotation.
 */
export class DetailTurns<Detail> {
  readonly #known = new Map<string, Known<Detail>>();
  #turn = 0;

  /** Returns the ids to read in this turn, and forgets missing items. */
  next(rows: ReadonlyMap<string, unknown>): string[] {
    for (const id of this.#known.keys()) if (!rows.has(id)) this.#known.delete(id);
    this.#turn += 1;
    const ranked = [...rows].map(([id, row]) => ({ id, rank: this.#rank(id, row) }));
    return ranked
      .sort((a, b) => a.rank - b.rank)
      .slice(0, turnSize(rows.size))
      .map(({ id }) => id);
  }

  /** True if any item has details. */
  get hasRead(): boolean {
    return [...this.#known.values()].some(({ detail }) => detail !== undefined);
  }

  detailOf(id: string): Detail | undefined {
    return this.#known.get(id)?.detail;
  }

  /** Records the details of an item; undefined if they are not available. */
  enter(id: string, row: unknown, detail: Detail | undefined): void {
    this.#known.set(id, { row, detail, turn: this.#turn, misses: 0 });
  }

  /** Records a failed read of an item. */
  miss(id: string): void {
    const known = this.#known.get(id) ?? { row: undefined, detail: undefined, turn: 0, misses: 0 };
    const misses = known.misses + 1;
    const detail = misses < MAX_MISSES ? known.detail : undefined;
    this.#known.set(id, { ...known, detail, turn: this.#turn, misses });
  }

  /** Returns the rank of an item; the lowest goes first. */
  #rank(id: string, row: unknown): number {
    const known = this.#known.get(id);
    if (known === undefined) return -1;
    const changed = known.misses === 0 && !isDeepStrictEqual(known.row, row);
    // Items that failed come after the other items of the same turn.
    return changed ? -2 : known.turn + (known.misses > 0 ? 0.5 : 0);
  }
}
