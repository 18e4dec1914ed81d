/** A quantile of the last values, of those that are there, as PromQL's `quantile_over_time` takes it. */
export class SlidingQuantile {
  readonly #ring: Float64Array;
  readonly #sorted: Float64Array;
  #size = 0;
  #next = 0;

  readonly #share: number;

  constructor(length: number, share: number) {
    this.#share = share;
    this.#ring = new Float64Array(length).fill(Number.NaN);
    this.#sorted = new Float64Array(length);
  }

  /** Takes a value (NaN: there is none) for the oldest one, and gives the quantile; NaN when there is nothing. */
  push(value: number): number {
    const oldest = this.#ring[this.#next] ?? Number.NaN;
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % this.#ring.length;
    if (!Number.isNaN(oldest)) this.#remove(oldest);
    if (!Number.isNaN(value)) this.#insert(value);
    return quantile(this.#sorted, this.#size, this.#share);
  }

  #remove(value: number): void {
    const at = this.#place(value);
    this.#sorted.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
  }

  #insert(value: number): void {
    const at = this.#place(value);
    this.#sorted.copyWithin(at + 1, at, this.#size);
    this.#sorted[at] = value;
    this.#size += 1;
  }

  /** The first place whose value is not below. */
  #place(value: number): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A quantile of the first values of a sorted array. */
export function quantile(sorted: ArrayLike<number>, size: number, share: number): number {
  if (size === 0) return Number.NaN;
  const rank = share * (size - 1);
  const low = sorted[Math.floor(rank)] ?? Number.NaN;
  const high = sorted[Math.ceil(rank)] ?? Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}
