import type { ChunkRow } from './chunk-row.ts';
import { formatValue } from './sample-text.ts';
import type { Place, SeriesTable } from './series-table.ts';

/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

const NOTHING = Buffer.alloc(0);

/** Consecutive lines of one family: the unit in which a page is rendered anew. */
export class Chunk<Family extends Place['family'] = Place['family']> implements Place {
  readonly family: Family;
  readonly row: ChunkRow;
  readonly #fullSize: number;
  readonly #series: number[] = [];
  /** Series whose lines are not as they were rendered, or not rendered yet. */
  readonly #changed = new Set<number>();
  #size = 0;
  #bytes: Buffer = NOTHING;

  /** @param fullSize from which size (bytes) on it takes no further lines */
  constructor(family: Family, row: ChunkRow, fullSize: number) {
    this.family = family;
    this.row = row;
    this.#fullSize = fullSize;
  }

  /** The lines as they were when last rendered. They never change. */
  get bytes(): Buffer {
    return this.#bytes;
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
    this.#bytes = Buffer.from(text, 'latin1');
    this.row.changed();
  }

  #sizeOf(length: number): number {
    return this.family.name.length + length + VALUE_SIZE;
  }
}
