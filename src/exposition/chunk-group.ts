import type { Chunk } from './chunk.ts';
import { joinSegments, type Segment } from './segment.ts';

/** So many chunks at most are joined: what changes in one of them costs a copy of their compressed bytes. */
const MOST_CHUNKS = 16;

/** Chunks of one family that are joined, so that a body has few pieces, and few to be put together anew. */
export class ChunkGroup {
  readonly #chunks = new Set<Chunk>();
  #segment: Segment | undefined;

  get isFull(): boolean {
    return this.#chunks.size >= MOST_CHUNKS;
  }

  get isEmpty(): boolean {
    return this.#chunks.size === 0;
  }

  add(chunk: Chunk): void {
    this.#chunks.add(chunk);
  }

  delete(chunk: Chunk): void {
    this.#chunks.delete(chunk);
    this.#segment = undefined;
  }

  /** One of the chunks has been rendered. */
  changed(): void {
    this.#segment = undefined;
  }

  /** All lines, as last rendered. */
  get segment(): Segment {
    this.#segment ??= joinSegments(
      Array.from(this.#chunks, (chunk) => chunk.segment).filter((segment) => segment !== undefined),
    );
    return this.#segment;
  }
}
