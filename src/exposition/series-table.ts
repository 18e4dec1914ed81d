import type { Labels } from '../catalogue/family.ts';
import { hashOf, SeriesIndex } from './series-index.ts';

const FIRST_CAPACITY = 256;

/** Where series are shown, and with them the text of their labels once it has been rendered. */
export interface Place {
  readonly family: { readonly name: string };
  /** The text of so many bytes from an offset on. */
  textAt(start: number, length: number): string;
}

/**
 * The series of many families by number: place, value and label text, in flat arrays. Measured, an object for each
 * owner and family with arrays of its own takes three times as much where there is one series in it. A text is kept
 * as a string only until it is rendered: then it is in the bytes that are ready to be sent.
 */
export class SeriesTable<Chunk extends Place> {
  readonly #chunks: (Chunk | undefined)[] = [];
  readonly #labels: (Labels | undefined)[] = [];
  readonly #index = new SeriesIndex();
  /** Label texts that are not rendered yet. */
  readonly #texts = new Map<number, string>();
  #values = new Float64Array(FIRST_CAPACITY);
  /** Where the label text of each series is in its chunk, in bytes. */
  #starts = new Uint32Array(FIRST_CAPACITY);
  #lengths = new Uint32Array(FIRST_CAPACITY);
  /** Numbers of series that are gone. */
  readonly #free: number[] = [];

  /** How many series there are. */
  get count(): number {
    return this.#chunks.length - this.#free.length;
  }

  /** The number of the series of a family with a label text. */
  find(family: Chunk['family'], text: string): number | undefined {
    return this.#index.find(
      hashOf(text, hashOf(family.name)),
      (series) => this.#chunks[series]?.family === family && this.textOf(series) === text,
    );
  }

  /** @returns its number, for as long as it is not deleted */
  add(text: string, value: number, chunk: Chunk): number {
    const series = this.#free.pop() ?? this.#chunks.length;
    if (series >= this.#values.length) this.#grow();
    this.#texts.set(series, text);
    this.#lengths[series] = Buffer.byteLength(text);
    this.#values[series] = value;
    this.#chunks[series] = chunk;
    this.#index.add(series, hashOf(text, hashOf(chunk.family.name)));
    return series;
  }

  delete(series: number): void {
    this.#index.delete(series);
    this.#texts.delete(series);
    this.#chunks[series] = undefined;
    this.#labels[series] = undefined;
    this.#free.push(series);
  }

  textOf(series: number): string {
    return (
      this.#texts.get(series) ??
      this.#chunks[series]?.textAt(this.startOf(series), this.lengthOf(series)) ??
      ''
    );
  }

  /** Where the label text of a series is in its chunk, in bytes, once it has been rendered. */
  startOf(series: number): number {
    return this.#starts[series] ?? 0;
  }

  /** How long a label text is, in bytes. */
  lengthOf(series: number): number {
    return this.#lengths[series] ?? 0;
  }

  /** The label text of a series that was not rendered yet. */
  newTextOf(series: number): string | undefined {
    return this.#texts.get(series);
  }

  /** The label text of a series is in its chunk from now on. */
  rendered(series: number, start: number): void {
    this.#texts.delete(series);
    this.#starts[series] = start;
  }

  valueOf(series: number): number {
    return this.#values[series] ?? Number.NaN;
  }

  /** Where the series stands; undefined when there is none of this number. */
  chunkOf(series: number): Chunk | undefined {
    return this.#chunks[series];
  }

  /** The labels with which the series was published last; undefined where it has none but their text. */
  labelsOf(series: number): Labels | undefined {
    return this.#labels[series];
  }

  publishedWith(series: number, labels: Labels): void {
    this.#labels[series] = labels;
  }

  /** Gives a series a value; false when it has that already. */
  change(series: number, value: number): boolean {
    if (Object.is(this.#values[series], value)) return false;
    this.#values[series] = value;
    return true;
  }

  #grow(): void {
    const capacity = this.#values.length * 1.5;
    this.#values = withValues(new Float64Array(capacity), this.#values);
    this.#starts = withValues(new Uint32Array(capacity), this.#starts);
    this.#lengths = withValues(new Uint32Array(capacity), this.#lengths);
  }
}

function withValues<Column extends Float64Array | Uint32Array>(larger: Column, column: Column): Column {
  larger.set(column);
  return larger;
}
