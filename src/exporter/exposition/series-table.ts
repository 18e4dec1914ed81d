import type { Labels } from '../catalogue/family.ts';

const FIRST_CAPACITY = 256;
const NONE = -1;

/** Owner of lines: series with the rendered text of their labels. */
export interface LineHolder {
  readonly family: { readonly name: string };
  /** Last rendered lines. */
  readonly bytes: Buffer;
}

/**
 * Series of many families, in columns. Each series has a number until it is deleted, and each column is an array indexed by that
 * number. Measured: arrays per owner and family took three times the memory. A label text is a string only until it is rendered.
 * Columns are public, because a call for each of many series would cost more than the work itself.
 */
export class SeriesTable<Chunk extends LineHolder> {
  /** Chunk of each series; undefined for unused numbers. */
  readonly chunks: (Chunk | undefined)[] = [];
  /** Labels object of the last publication; undefined if only the text is known. */
  readonly labels: (Labels | undefined)[] = [];
  /** Label texts that are not rendered yet. */
  readonly texts = new Map<number, string>();
  values = new Float64Array(FIRST_CAPACITY);
  /** Offset and length (bytes) of each label text in its chunk. */
  starts = new Uint32Array(FIRST_CAPACITY);
  lengths = new Uint32Array(FIRST_CAPACITY);
  /** 1 if the line has changed since it was rendered, or was never rendered. */
  isStale = new Uint8Array(FIRST_CAPACITY);
  /** Numbers of deleted series, which can be used again. */
  readonly #free: number[] = [];
  readonly #index = new SeriesIndex();

  /** Number of series. */
  get count(): number {
    return this.chunks.length - this.#free.length;
  }

  /** Returns the index of the series with this label text in the family; undefined if there is none. */
  find(family: Chunk['family'], text: string): number | undefined {
    const hash = hashOf(text, hashOf(family.name));
    for (let series = this.#index.first(hash); series !== NONE; series = this.#index.next(series, hash))
      if (this.chunks[series]?.family === family && this.textOf(series) === text) return series;
    return undefined;
  }

  /** Adds a series, whose line is stale. @returns its number */
  add(text: string, value: number, chunk: Chunk): number {
    const series = this.#free.pop() ?? this.chunks.length;
    if (series >= this.values.length) this.#grow();
    this.chunks[series] = chunk;
    this.labels[series] = undefined;
    this.texts.set(series, text);
    this.values[series] = value;
    this.lengths[series] = Buffer.byteLength(text);
    this.isStale[series] = 1;
    this.#index.add(series, hashOf(text, hashOf(chunk.family.name)));
    return series;
  }

  delete(series: number): void {
    this.#index.delete(series);
    this.texts.delete(series);
    this.chunks[series] = undefined;
    this.labels[series] = undefined;
    this.#free.push(series);
  }

  textOf(series: number): string {
    const start = this.starts[series] ?? 0;
    const end = start + (this.lengths[series] ?? 0);
    return this.texts.get(series) ?? this.chunks[series]?.bytes.toString('utf8', start, end) ?? '';
  }

  #grow(): void {
    const capacity = larger(this.values);
    this.values = taking(new Float64Array(capacity), this.values);
    this.starts = taking(new Uint32Array(capacity), this.starts);
    this.lengths = taking(new Uint32Array(capacity), this.lengths);
    this.isStale = taking(new Uint8Array(capacity), this.isStale);
  }
}

/**
 * Numbers of series by a hash of family and label text, as chains in flat arrays. Measured: a map by text takes forty more bytes
 * per series, and the text itself. The table grows one chain at a time (linear hashing), because doubling a table of 500,000
 * numbers would block for 30 ms.
 */
export class SeriesIndex {
  /** First number of each chain. */
  #chains = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #chainCount = 1;
  /** Smallest power of two that is not below the number of chains. */
  #width = 1;
  #count = 0;
  /** Next series in the chain, and hash, by number. */
  #following = new Int32Array(FIRST_CAPACITY);
  #hashes = new Int32Array(FIRST_CAPACITY);

  /** Returns the first number with this hash; -1 if there is none. */
  first(hash: number): number {
    return this.#from(this.#chains[this.#chainOf(hash)] ?? NONE, hash);
  }

  /** Returns the next number with this hash after `series`; -1 if there is none. */
  next(series: number, hash: number): number {
    return this.#from(this.#following[series] ?? NONE, hash);
  }

  /** @param hash a signed integer of 32 bits */
  add(series: number, hash: number): void {
    this.#count += 1;
    if (this.#count > this.#chainCount) this.#split();
    if (series >= this.#hashes.length) {
      this.#hashes = taking(new Int32Array(larger(this.#hashes)), this.#hashes);
      this.#following = taking(new Int32Array(this.#hashes.length), this.#following);
    }
    this.#hashes[series] = hash;
    this.#prepend(series);
  }

  delete(series: number): void {
    const chain = this.#chainOf(this.#hashes[series] ?? 0);
    const following = this.#following[series] ?? NONE;
    let before = this.#chains[chain] ?? NONE;
    if (before === series) this.#chains[chain] = following;
    else {
      while (this.#following[before] !== series) before = this.#following[before] ?? NONE;
      this.#following[before] = following;
    }
    this.#count -= 1;
  }

  #from(start: number, hash: number): number {
    let series = start;
    while (series !== NONE && this.#hashes[series] !== hash) series = this.#following[series] ?? NONE;
    return series;
  }

  /** Returns the chain of a hash: its lowest bits, one bit less for chains that are not split at this width yet. */
  #chainOf(hash: number): number {
    const chain = hash & (this.#width - 1);
    return chain < this.#chainCount ? chain : chain - this.#width / 2;
  }

  #prepend(series: number): void {
    const chain = this.#chainOf(this.#hashes[series] ?? 0);
    this.#following[series] = this.#chains[chain] ?? NONE;
    this.#chains[chain] = series;
  }

  /** Adds a chain, and moves about half of the numbers of one other chain to it. */
  #split(): void {
    if (this.#chainCount === this.#width) this.#width *= 2;
    if (this.#chainCount === this.#chains.length)
      this.#chains = taking(new Int32Array(larger(this.#chains)).fill(NONE), this.#chains);
    const split = this.#chainCount - this.#width / 2;
    let series = this.#chains[split] ?? NONE;
    this.#chains[split] = NONE;
    this.#chainCount += 1;
    while (series !== NONE) {
      const following = this.#following[series] ?? NONE;
      this.#prepend(series);
      series = following;
    }
  }
}

/** Returns the capacity of the array that replaces a full column. */
function larger({ length }: { readonly length: number }): number {
  return Math.ceil(length * 1.5);
}

/** Returns `column` after copying the content of `former` into it. */
function taking<Column extends Float64Array | Uint32Array | Int32Array | Uint8Array>(
  column: Column,
  former: Column,
): Column {
  column.set(former);
  return column;
}

/** Returns FNV-1a over UTF-16 units, as a signed 32-bit integer. @param before hash of the preceding text */
export function hashOf(text: string, before = 0x811c9dc5 | 0): number {
  let hash = before;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
