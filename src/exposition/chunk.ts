import type { FamilyLines } from './family-lines.ts';
import { formatValue } from './sample-value.ts';
import { makeSegment, type Segment } from './segment.ts';
import type { SeriesTable } from './series-table.ts';

/**
 * From this size (bytes) on a chunk takes no further lines. Smaller chunks make a poll cheaper, which renders and
 * compresses every chunk that it touches; larger ones compress better. Against 48 KB a changed line costs 40 % of the
 * time, and a scrape's body is 10 % larger.
 */
const FULL_SIZE = 16 * 1024;
/** A value with its space and line end, about. */
const VALUE_SIZE = 10;

/** Consecutive lines of one family: the unit in which a page is rendered anew. */
export class Chunk {
  readonly family: FamilyLines;
  readonly #series: number[] = [];
  #size = 0;
  #segment: Segment | undefined;

  constructor(family: FamilyLines) {
    this.family = family;
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

  render(table: SeriesTable): void {
    const { name } = this.family;
    let text = '';
    for (const series of this.#series) {
      text += `${name}${table.textOf(series)} ${formatValue(table.valueOf(series))}\n`;
    }
    this.#segment = makeSegment(text);
  }

  #sizeOf(text: string): number {
    return this.family.name.length + text.length + VALUE_SIZE;
  }
}
