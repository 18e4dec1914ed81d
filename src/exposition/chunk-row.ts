import { EMPTY_SEGMENT, joinSegments, type Segment, segmentOf } from './segment.ts';

/** Lines that are rendered together: the chunks of a row. */
interface Lines {
  /** As last rendered. They never change. */
  readonly bytes: Buffer;
}

/**
 * Chunks that are compressed together, since long texts compress better than short ones, while of their lines only the
 * chunks that have changed are written anew.
 */
export class ChunkRow {
  readonly group: RowGroup;
  readonly #most: number;
  readonly #chunks = new Set<Lines>();
  #segment: Segment | undefined;

  /** @param most how many chunks it takes at most */
  constructor(group: RowGroup, most: number) {
    this.group = group;
    this.#most = most;
    group.add(this);
  }

  get isFull(): boolean {
    return this.#chunks.size >= this.#most;
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  add(chunk: Lines): void {
    this.#chunks.add(chunk);
  }

  delete(chunk: Lines): void {
    this.#chunks.delete(chunk);
    this.changed();
    if (this.isEmpty) this.group.delete(this);
  }

  /** One of the chunks has been rendered. */
  changed(): void {
    this.#segment = undefined;
    this.group.changed();
  }

  /** Compresses the lines as last rendered, unless that is done. */
  compress(): void {
    this.#segment ??= segmentOf(Array.from(this.#chunks, ({ bytes }) => bytes));
  }

  /** All lines, as last rendered. */
  get segment(): Segment {
    this.compress();
    return this.#segment ?? EMPTY_SEGMENT;
  }
}

/** So many rows at most are joined: what changes in one of them costs a copy of their compressed bytes. */
const MOST_ROWS = 16;

/** Rows of one family that are joined, so that a body has few pieces, and few to be put together anew. */
export class RowGroup {
  readonly #rows = new Set<ChunkRow>();
  #segment: Segment | undefined;

  get isFull(): boolean {
    return this.#rows.size >= MOST_ROWS;
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  add(row: ChunkRow): void {
    this.#rows.add(row);
  }

  delete(row: ChunkRow): void {
    this.#rows.delete(row);
  }

  /** One of the rows is not as it was. */
  changed(): void {
    this.#segment = undefined;
  }

  /** All lines, as last rendered. */
  get segment(): Segment {
    this.#segment ??= joinSegments(Array.from(this.#rows, ({ segment }) => segment));
    return this.#segment;
  }
}
