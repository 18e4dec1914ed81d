import { formatValue } from './sample-text.ts';
import { joinSegments, makeSegment, type Segment } from './segment.ts';
import type { Place, SeriesTable } from './series-table.ts';

/**
 * From this size (bytes) on a chunk takes no further lines. Smaller chunks make a poll cheaper, which renders and
 * compresses every chunk that it touches; larger ones compress better: of 16 KB, a body is a quarter larger than of 32.
 */
const FULL_SIZE = 32 * 1024;
/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

const NOTHING = Buffer.alloc(0);

/** Consecutive lines of one family: the unit in which a page is rendered anew. */
export class Chunk<Family extends Place['family'] = Place['family']> implements Place {
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

  /** @param length of its label text, in bytes */
  add(series: number, length: number): void {
    this.#series.push(series);
    this.#size += this.#sizeOf(length);
  }

  delete(series: number, length: number): void {
    this.#series.splice(this.#series.indexOf(series), 1);
    this.#size -= this.#sizeOf(length);
  }

  /** The text of so many bytes from an offset on, as last rendered. */
  textAt(start: number, length: number): string {
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** Writes the lines anew: what stands before each value is taken from the bytes before, once it is there. */
  render(table: SeriesTable<Place>): void {
    const { name } = this.family;
    // Each byte is a character here, so that a place among these is the same among the bytes.
    const before = this.#bytes.toString('latin1');
    let text = '';
    for (const series of this.#series) {
      const added = table.newTextOf(series);
      const start = table.startOf(series);
      const head =
        added === undefined
          ? before.slice(start - name.length, start + table.lengthOf(series))
          : name + Buffer.from(added).toString('latin1');
      table.rendered(series, text.length + name.length);
      text += `${head} ${formatValue(table.valueOf(series))}\n`;
    }
    this.#segment = makeSegment(Buffer.from(text, 'latin1'));
    this.group.changed();
  }

  get #bytes(): Buffer {
    return this.#segment?.identity[0] ?? NOTHING;
  }

  #sizeOf(length: number): number {
    return this.family.name.length + length + VALUE_SIZE;
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
