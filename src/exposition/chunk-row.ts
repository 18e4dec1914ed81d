import { joinSegments, type Segment, segmentOf } from './segment.ts';

/** A chunk, as far as it matters here. */
interface Lines {
  /** As last rendered. They never change. */
  readonly bytes: Buffer;
}

/** Parts whose bytes are put together, anew only once one of them has changed, come or gone. */
abstract class Parts<Part> {
  readonly #most: number;
  readonly #parts = new Set<Part>();
  #segment: Segment | undefined;

  /** @param most how many parts it takes at most */
  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#parts.size >= this.#most;
  }

  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  add(part: Part): void {
    this.#parts.add(part);
    this.changed();
  }

  delete(part: Part): void {
    this.#parts.delete(part);
    this.changed();
  }

  /** One of the parts is not as it was. */
  changed(): void {
    this.#segment = undefined;
  }

  /** All lines, as last rendered. */
  segment(): Segment {
    this.#segment ??= this.puttingTogether([...this.#parts]);
    return this.#segment;
  }

  protected abstract puttingTogether(parts: readonly Part[]): Segment;
}

/** So many rows at most are joined: what changes in one of them costs a copy of their compressed bytes. */
const MOST_ROWS = 16;

/** Rows of one family that are joined, so that a body has few pieces, and few to be put together anew. */
export class RowGroup extends Parts<ChunkRow> {
  constructor() {
    super(MOST_ROWS);
  }

  protected puttingTogether(rows: readonly ChunkRow[]): Segment {
    return joinSegments(rows.map((row) => row.segment()));
  }
}

/**
 * Chunks that are compressed together, since long texts compress better than short ones, while of their lines only the
 * chunks that have changed are written anew.
 */
export class ChunkRow extends Parts<Lines> {
  readonly group: RowGroup;

  constructor(group: RowGroup, most: number) {
    super(most);
    this.group = group;
    group.add(this);
  }

  override delete(chunk: Lines): void {
    super.delete(chunk);
    if (this.isEmpty) this.group.delete(this);
  }

  override changed(): void {
    super.changed();
    this.group.changed();
  }

  protected puttingTogether(chunks: readonly Lines[]): Segment {
    return segmentOf(chunks.map(({ bytes }) => bytes));
  }
}
