import type { Sample } from '../catalogue/family.ts';
import { Families } from './exposed-families.ts';
import type { FamilyLines } from './family-lines.ts';
import { LabelTexts, type OnShortened } from './label-text.ts';

/** What an owner shows: the number of the series of each of its samples, in their order, or `NOT_SHOWN`. */
export type OwnedSeries = readonly number[];

/** Instead of the number of a series that is beyond the limit, or shown already. */
const NOT_SHOWN = -1;

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
    const wanted = yield* this.#wanted(samples);
    const own = new Set(before.filter((series) => wanted.has(series)));
    const left = yield* this.#remove(before.filter((series) => !wanted.has(series)));
    const after: number[] = [];
    for (const [index, sample] of samples.entries()) {
      after.push(this.#show(sample, own));
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
      if (lines?.name !== family.name || table.textOf(series) !== this.#labelTexts.of(labels)) return false;
      lines.change(series, value);
      if (isStep(index)) yield;
    }
    return true;
  }

  /** The series of these samples that are shown already, whoever shows them. */
  *#wanted(samples: readonly Sample[]): Generator<undefined, ReadonlySet<number>> {
    const wanted = new Set<number>();
    for (const [index, { family, labels }] of samples.entries()) {
      const known = this.families.find(family)?.find(this.#labelTexts.of(labels));
      if (known !== undefined) wanted.add(known);
      if (isStep(index)) yield;
    }
    return wanted;
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
  #show({ family, labels, value }: Sample, own: Set<number>): number {
    const lines = this.families.of(family);
    const text = this.#labelTexts.of(labels);
    const known = lines.find(text);
    if (known !== undefined) {
      if (own.delete(known)) {
        lines.change(known, value);
        return known;
      }
      this.#duplicates++;
      return NOT_SHOWN;
    }
    if (this.count >= this.limit) {
      this.#dropped++;
      this.families.release(lines);
      return NOT_SHOWN;
    }
    return lines.add(text, value);
  }
}

function isStep(index: number): boolean {
  return index % STEP_SAMPLES === STEP_SAMPLES - 1;
}
