import { formatValue } from './sample-value.ts';
import { joinSegments, makeSegment, type Segment } from './segment.ts';
import type { SeriesTable } from './series-table.ts';

/**
 * From this size (bytes) on a chunk takes no further lines. Smaller chunks make a poll cheaper, which renders and
 * compresses every chunk that it touches; larger ones compress better: of 16 KB, a body is a quarter larger than of 32.
 */
const FULL_SIZE = 32 * 1024;
/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

/** Consecutive lines of one family: the unit in which a page is rendered anew. */
export class Chunk<Family extends { readonly name: string } = { readonly name: string }> {
  readonly family: Family;
  readonly group: ChunkGroup;
  readonly #series: number[] = [];
  #size = 0;
  #segment: Segment | undefined;

  constructor(family: Family, group: ChunkGroup) {
    this.family = family;
    this.group = group;
  }

  /** The lines as they were when last rendered; undefined before. */
  get segment(): Segment | undefined {
    return this.#segment;
  }

  get isEmpty(): boolean {
    return this.#series.length === 0;
  }

  get isFull(): boolean {
    return this.#size >= FULL_SIZE;
  }

  add(series: number, text: string): void {
    this.#series.push(series);
    this.#size += this.#sizeOf(text);
  }

  delete(series: number, text: string): void {
    this.#series.splice(this.#series.indexOf(series), 1);
    this.#size -= this.#sizeOf(text);
  }

  render(table: Pick<SeriesTable<unknown>, 'textOf' | 'valueOf'>): void {
    const { name } = this.family;
    let text = '';
    for (const series of this.#series) {
      text += `${name}${table.textOf(series)} ${formatValue(table.valueOf(series))}\n`;
    }
    this.#segment = makeSegment(text);
    this.group.changed();
  }

  #sizeOf(text: string): number {
    return this.family.name.length + text.length + VALUE_SIZE;
  }
}

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
