const EMPTY = -1;
const FIRST_CAPACITY = 256;

/**
 * By the highest bits of their hashes, numbers are in 64 tables. Each is made twice as large at another moment: to do so with one of
 * 500,000 numbers holds up everything for 30 ms.
 */
const TABLE_BITS = 6;
const FIRST_SLOTS = 16;

/**
 * Numbers of series by a hash of what tells them apart: open addressing, in flat arrays. Measured, a map by text takes
 * nearly forty bytes a series beside its text, which is read here where it is shown.
 */
export class SeriesIndex {
  readonly #hashes = new Hashes();
  readonly #tables = Array.from({ length: 1 << TABLE_BITS }, () => new Table(this.#hashes));

  /** The number with this hash that is the one looked for. */
  find(hash: number, isSought: (series: number) => boolean): number | undefined {
    return this.#tableOf(hash).find(hash, isSought);
  }

  /** @param hash an integer of 32 bits, signed */
  add(series: number, hash: number): void {
    this.#hashes.set(series, hash);
    this.#tableOf(hash).add(series);
  }

  delete(series: number): void {
    this.#tableOf(this.#hashes.of(series)).delete(series);
  }

  #tableOf(hash: number): Table {
    const table = this.#tables[hash >>> (32 - TABLE_BITS)];
    if (table === undefined) throw new Error(`${hash} is no hash`);
    return table;
  }
}

/** By number. */
class Hashes {
  #column: Int32Array = new Int32Array(FIRST_CAPACITY);

  of(series: number): number {
    return this.#column[series] ?? 0;
  }

  set(series: number, hash: number): void {
    if (series >= this.#column.length) this.#column = grown(this.#column);
    this.#column[series] = hash;
  }
}

/** Of numbers whose hashes begin alike. */
class Table {
  readonly #hashes: Hashes;
  /** Each number in the first place from its hash on that was free; at least half of the places are. */
  #slots: Int32Array = new Int32Array(FIRST_SLOTS).fill(EMPTY);
  #count = 0;

  constructor(hashes: Hashes) {
    this.#hashes = hashes;
  }

  find(hash: number, isSought: (series: number) => boolean): number | undefined {
    for (let slot = this.#home(hash); ; slot = this.#next(slot)) {
      const series = this.#at(slot);
      if (series === EMPTY) return undefined;
      if (this.#hashes.of(series) === hash && isSought(series)) return series;
    }
  }

  add(series: number): void {
    this.#count += 1;
    if (2 * this.#count > this.#slots.length) this.#spread();
    this.#insert(series);
  }

  delete(series: number): void {
    let hole = this.#home(this.#hashes.of(series));
    while (this.#at(hole) !== series) hole = this.#next(hole);
    // Whatever was put behind it for want of this place moves up: a search ends at the first empty one.
    for (let slot = this.#next(hole); this.#at(slot) !== EMPTY; slot = this.#next(slot)) {
      const home = this.#home(this.#hashes.of(this.#at(slot)));
      if (this.#distance(home, slot) < this.#distance(hole, slot)) continue;
      this.#slots[hole] = this.#at(slot);
      hole = slot;
    }
    this.#slots[hole] = EMPTY;
    this.#count -= 1;
  }

  #insert(series: number): void {
    let slot = this.#home(this.#hashes.of(series));
    while (this.#at(slot) !== EMPTY) slot = this.#next(slot);
    this.#slots[slot] = series;
  }

  #spread(): void {
    const all = this.#slots.filter((series) => series !== EMPTY);
    this.#slots = new Int32Array(2 * this.#slots.length).fill(EMPTY);
    for (const series of all) this.#insert(series);
  }

  #home(hash: number): number {
    return hash & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #distance(from: number, to: number): number {
    return (to - from) & (this.#slots.length - 1);
  }

  #at(slot: number): number {
    return this.#slots[slot] ?? EMPTY;
  }
}

function grown(column: Int32Array): Int32Array {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** FNV-1a over UTF-16 units; `before` is the hash of what comes before the text. Signed, of 32 bits. */
export function hashOf(text: string, before = 0x811c9dc5 | 0): number {
  let hash = before;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
