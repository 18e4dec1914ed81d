import { formatValue } from './sample-text.ts';
import { joinSegments, makeSegment, type Segment } from './segment.ts';
import type { Place, SeriesTable } from './series-table.ts';

/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

const NOTHING = Buffer.alloc(0);

/** Consecutive lines of one family: the unit in which a page is rendered anew. */
export class Chunk<Family extends Place['family'] = Place['family']> implements Place {
  readonly family: Family;
  readonly group: ChunkGroup;
  readonly #fullSize: number;
  readonly #series: number[] = [];
  /** Series whose lines are not as they were rendered, or not rendered yet. */
  readonly #changed = new Set<number>();
  #size = 0;
  #segment: Segment | undefined;

  /** @param fullSize from which size (bytes) on it takes no further lines */
  constructor(family: Family, group: ChunkGroup, fullSize: number) {
    this.family = family;
    this.group = group;
    this.#fullSize = fullSize;
  }

  /** The lines as they were when last rendered; undefined before. */
  get segment(): Segment | undefined {
    return this.#segment;
  }

  get isEmpty(): boolean {
    return this.#series.length === 0;
  }

  get isFull(): boolean {
    return this.#size >= this.#fullSize;
  }

  /** @param length of its label text, in bytes */
  add(series: number, length: number): void {
    this.#series.push(series);
    this.#changed.add(series);
    this.#size += this.#sizeOf(length);
  }

  /** A series of this chunk has another value. */
  change(series: number): void {
    this.#changed.add(series);
  }

  delete(series: number, length: number): void {
    const index = this.#series.indexOf(series);
    const before = this.#series[index - 1];
    this.#series.splice(index, 1);
    this.#changed.delete(series);
    // So that lines which are copied in a row stand in a row.
    if (before !== undefined) this.#changed.add(before);
    this.#size -= this.#sizeOf(length);
  }

  /** The text of so many bytes from an offset on, as last rendered. */
  textAt(start: number, length: number): string {
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** Writes the lines that have changed, each with what stood before its value, and copies the others as they were. */
  render(table: SeriesTable<Place>): void {
    const { name } = this.family;
    // Each byte is a character here, so that a place among these is the same among the bytes.
    const before = this.#bytes.toString('latin1');
    let text = '';
    /** Where the lines begin that are to be copied; where they end, nothing is. */
    let copied: number | undefined;
    for (const series of this.#series) {
      const added = table.newTextOf(series);
      const start = added === undefined ? table.startOf(series) - name.length : before.length;
      if (!this.#changed.has(series)) {
        copied ??= start;
        table.rendered(series, text.length + start - copied + name.length);
        continue;
      }
      if (copied !== undefined) text += before.slice(copied, start);
      copied = undefined;
      const head =
        added === undefined
          ? before.slice(start, start + name.length + table.lengthOf(series))
          : name + Buffer.from(added).toString('latin1');
      table.rendered(series, text.length + name.length);
      text += `${head} ${formatValue(table.valueOf(series))}\n`;
    }
    if (copied !== undefined) text += before.slice(copied);
    this.#changed.clear();
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
