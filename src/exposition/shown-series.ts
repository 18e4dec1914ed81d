import type { Labels, Sample } from '../catalogue/family.ts';
import { LabelTexts, type OnShortened } from './sample-text.ts';
import { Families, type FamilyLines } from './shown-families.ts';

/** What an owner shows: the number of the series of each of its samples, in their order, or `NOT_SHOWN`. */
export type OwnedSeries = readonly number[];

/** Instead of the number of a series that is beyond the limit, or shown already. */
const NOT_SHOWN = -1;

/** The number of a series that is shown, or the label text of one that is not. */
type Known = number | string;

/** So many samples are dealt with in one step. */
const STEP_SAMPLES = 100;

/**
 * The series that are shown: each once, whoever publishes it, and no more than the limit. Changes are made in small
 * steps, since an owner may have any number of series.
 */
export class ShownSeries {
  readonly families = new Families();
  readonly #labelTexts: LabelTexts;
  #dropped = 0;
  #duplicates = 0;

  /** How many series are shown at most; a lower limit makes none go that is shown already. */
  limit: number;

  constructor(limit: number, onShortened: OnShortened) {
    this.limit = limit;
    this.#labelTexts = new LabelTexts(onShortened);
  }

  get count(): number {
    return this.families.table.count;
  }

  /** How many times a series was left out because of the limit. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many times a series was left out because it was shown already. */
  get duplicates(): number {
    return this.#duplicates;
  }

  /** Shows `samples` in place of everything that their owner showed `before`. */
  *replace(before: OwnedSeries, samples: readonly Sample[]): Generator<undefined, OwnedSeries> {
    if (yield* this.#update(before, samples)) return before;
    const known = yield* this.#known(before, samples);
    const wanted = new Set<Known>(known);
    const own = new Set(before.filter((series) => wanted.has(series)));
    const left = yield* this.#remove(before.filter((series) => !wanted.has(series)));
    const after: number[] = [];
    for (const [index, sample] of samples.entries()) {
      after.push(this.#show(sample, known[index] ?? '', own));
      if (isStep(index)) yield;
    }
    for (const lines of left) this.families.release(lines);
    return after;
  }

  /** The usual case: new values for the same series. False where there are others. */
  *#update(before: OwnedSeries, samples: readonly Sample[]): Generator<undefined, boolean> {
    if (before.length !== samples.length) return false;
    const { table } = this.families;
    for (const [index, { family, labels, value }] of samples.entries()) {
      const series = before[index] ?? NOT_SHOWN;
      const lines = table.chunkOf(series)?.family;
      if (lines?.name !== family.name || !this.#isOf(labels, series)) return false;
      lines.change(series, value);
      if (isStep(index)) yield;
    }
    return true;
  }

  /** Whether a series has these labels. Most owners keep the object: its text is written once. */
  #isOf(labels: Labels, series: number): boolean {
    const { table } = this.families;
    if (table.labelsOf(series) === labels) return true;
    if (table.textOf(series) !== this.#labelTexts.of(labels)) return false;
    table.publishedWith(series, labels);
    return true;
  }

  /** The series of each of these samples, whoever shows it, or the label text of one that is not shown. */
  *#known(before: OwnedSeries, samples: readonly Sample[]): Generator<undefined, readonly Known[]> {
    const { table } = this.families;
    const own = new Map(before.map((series) => [table.labelsOf(series), series]));
    const known: Known[] = [];
    for (const [index, { family, labels }] of samples.entries()) {
      const series = own.get(labels) ?? NOT_SHOWN;
      const isOwn = table.chunkOf(series)?.family.name === family.name;
      const text = isOwn ? '' : this.#labelTexts.of(labels);
      known.push(isOwn ? series : (this.families.find(family)?.find(text) ?? text));
      if (isStep(index)) yield;
    }
    return known;
  }

  /** Removes series; returns their families. */
  *#remove(gone: readonly number[]): Generator<undefined, ReadonlySet<FamilyLines>> {
    const left = new Set<FamilyLines>();
    for (const [index, series] of gone.entries()) {
      const lines = this.families.table.chunkOf(series)?.family;
      lines?.remove(series);
      if (lines !== undefined) left.add(lines);
      if (isStep(index)) yield;
    }
    return left;
  }

  /** Shows a sample if it is new and within the limit, or one of the owner's own, which it takes out of `own`. */
  #show({ family, labels, value }: Sample, known: Known, own: Set<number>): number {
    const lines = this.families.of(family);
    // One of these samples may have shown it meanwhile.
    const shown = typeof known === 'number' ? known : (lines.find(known) ?? known);
    if (typeof shown === 'number' && !own.delete(shown)) {
      this.#duplicates++;
      return NOT_SHOWN;
    }
    if (typeof shown === 'string' && this.count >= this.limit) {
      this.#dropped++;
      this.families.release(lines);
      return NOT_SHOWN;
    }
    if (typeof shown === 'number') lines.change(shown, value);
    const series = typeof shown === 'number' ? shown : lines.add(shown, value);
    this.families.table.publishedWith(series, labels);
    return series;
  }
}

function isStep(index: number): boolean {
  return index % STEP_SAMPLES === STEP_SAMPLES - 1;
}
