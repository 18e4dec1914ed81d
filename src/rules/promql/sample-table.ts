import { keyOf, type Labels } from './vector.ts';

/** Look-back (ms) of an instant selector for the newest sample: the default of Prometheus. */
const LOOKBACK = 300_000;

/** Tables of the series in expressions, by metric name. */
export type Tables = ReadonlyMap<string, SampleTable>;

/** Samples of a series in memory: times (ms) and values. */
export interface HeldSamples {
  readonly name: string;
  readonly labels: Labels;
  readonly samples: readonly (readonly [at: number, value: number])[];
}

/** Samples of all series with one metric name, as far back as the longest look-back. NaN stands for an absent sample. */
export class SampleTable {
  readonly name: string;
  /** Milliseconds between two samples. */
  readonly interval: number;
  readonly labels: Labels[] = [];
  readonly #places = new Map<string, number>();
  #slots = 2;
  /** Number of allocated slots; undefined before the first allocation. */
  #room: number | undefined;
  #samples = new Float64Array(0);
  /** Newest written slot; -1 before the first. */
  #newest = -1;
  /** Newest slot with a sample, per series. It makes long spans of rarely present series cheap. */
  #seen = new Int32Array(0);

  constructor(name: string, interval: number) {
    this.name = name;
    this.interval = interval;
  }

  /** Adds series with these labels. @returns true if there are new ones */
  admit(labels: readonly Labels[]): boolean {
    const before = this.labels.length;
    for (const set of labels) {
      const key = keyOf(set);
      if (this.#places.has(key)) continue;
      this.#places.set(key, this.labels.length);
      this.labels.push(set);
    }
    return this.labels.length > before;
  }

  /** Returns the index of a series; undefined if there is none. */
  placeOf(labels: Labels): number | undefined {
    return this.#places.get(keyOf(labels));
  }

  /** Extends the look-back. @param span milliseconds */
  reach(span: number): void {
    this.#slots = Math.max(this.#slots, Math.ceil(span / this.interval) + 3);
  }

  /** Allocates space for all added series and for the look-back. Existing samples stay. */
  makeRoom(): void {
    if (this.#room !== undefined && this.#room !== this.#slots)
      throw new Error(`${this.name} is written already`);
    this.#room = this.#slots;
    const samples = new Float64Array(this.#slots * this.labels.length).fill(Number.NaN);
    samples.set(this.#samples);
    this.#samples = samples;
    const seen = new Int32Array(this.labels.length).fill(-1);
    seen.set(this.#seen);
    this.#seen = seen;
  }

  /** Writes the samples at a time (ms), one per series by its index. */
  write(at: number, values: ArrayLike<number>): void {
    const slot = Math.round(at / this.interval);
    this.#newest = slot;
    const [samples, seen, slots] = [this.#samples, this.#seen, this.#slots];
    for (let place = 0, at = slot % slots; place < seen.length; place++, at += slots) {
      const value = values[place] as number;
      samples[at] = value;
      if (!Number.isNaN(value)) seen[place] = slot;
    }
  }

  /**
   * Returns the sample that a selector finds at a given time: the newest, unless its series had ended by then. NaN if there is
   * none.
   */
  at(place: number, moment: number): number {
    const slot = Math.min(Math.floor(moment / this.interval), this.#newest);
    if (slot < 0 || moment - slot * this.interval > LOOKBACK) return Number.NaN;
    return this.#samples[place * this.#slots + (slot % this.#slots)] ?? Number.NaN;
  }

  /** Writes the samples after `from` and up to `to`, oldest first, into `into`. @returns their number */
  between(place: number, from: number, to: number, into: Float64Array): number {
    const last = Math.min(Math.floor(to / this.interval), this.#seen[place] as number);
    const first = Math.max(0, Math.floor(from / this.interval) + 1);
    const base = place * this.#slots;
    const samples = this.#samples;
    let count = 0;
    let at = base + (first % this.#slots);
    const end = base + this.#slots;
    for (let left = last - first; left >= 0; left--) {
      const value = samples[at] as number;
      if (!Number.isNaN(value)) into[count++] = value;
      at += 1;
      if (at === end) at = base;
    }
    return count;
  }

  /** Returns the newest sample after `from` and up to `to`; NaN if there is none. */
  last(place: number, from: number, to: number): number {
    const first = Math.max(0, Math.floor(from / this.interval) + 1);
    const newest = Math.min(Math.floor(to / this.interval), this.#seen[place] as number);
    const base = place * this.#slots;
    for (let slot = newest; slot >= first; slot--) {
      const value = this.#samples[base + (slot % this.#slots)] as number;
      if (!Number.isNaN(value)) return value;
    }
    return Number.NaN;
  }

  /** Returns all samples, series by series, oldest first. */
  *held(): Generator<HeldSamples, void> {
    for (const [place, labels] of this.labels.entries()) {
      const samples: [at: number, value: number][] = [];
      for (let slot = Math.max(0, this.#newest - this.#slots + 1); slot <= this.#newest; slot++) {
        const value = this.#samples[place * this.#slots + (slot % this.#slots)] as number;
        if (!Number.isNaN(value)) samples.push([slot * this.interval, value]);
      }
      if (samples.length > 0) yield { name: this.name, labels, samples };
    }
  }

  /** Number of samples that fit into the longest look-back. */
  get slots(): number {
    return this.#slots;
  }
}
