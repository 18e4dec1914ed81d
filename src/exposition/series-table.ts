const FIRST_CAPACITY = 256;

/**
 * The series of many families by number: label text, value and place, in flat arrays. Measured, an object for each
 * owner and family with arrays of its own takes three times as much where there is one series in it.
 */
export class SeriesTable<Chunk> {
  readonly #texts: string[] = [];
  readonly #chunks: (Chunk | undefined)[] = [];
  #values = new Float64Array(FIRST_CAPACITY);
  /** Numbers of series that are gone. */
  readonly #free: number[] = [];

  /** How many series there are. */
  get count(): number {
    return this.#texts.length - this.#free.length;
  }

  /** @returns its number, for as long as it is not deleted */
  add(text: string, value: number, chunk: Chunk): number {
    const series = this.#free.pop() ?? this.#texts.length;
    if (series >= this.#values.length) {
      const larger = new Float64Array(this.#values.length * 1.5);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#texts[series] = text;
    this.#values[series] = value;
    this.#chunks[series] = chunk;
    return series;
  }

  delete(series: number): void {
    this.#texts[series] = '';
    this.#chunks[series] = undefined;
    this.#free.push(series);
  }

  textOf(series: number): string {
    return this.#texts[series] ?? '';
  }

  valueOf(series: number): number {
    return this.#values[series] ?? Number.NaN;
  }

  /** Where the series stands; undefined when there is none of this number. */
  chunkOf(series: number): Chunk | undefined {
    return this.#chunks[series];
  }

  /** Gives a series a value; false when it has that already. */
  change(series: number, value: number): boolean {
    if (Object.is(this.#values[series], value)) return false;
    this.#values[series] = value;
    return true;
  }
}
