import { GROUPS, type Group } from '../traffic/groups.ts';

/** The cells of one bucket of one source. */
export interface BucketCells {
  /** A cell of a group, by its place in the group. */
  cell(group: Group, index: number): number;
}

/** One of the things that each unit of a population is: its status, its country. */
export interface Aspect {
  readonly name: string;
  readonly values: readonly string[];
  /**
   * How many units have each value, in the order of the values; they add up to the population. The order matters: units are
   * numbered, and aspects with one turn give their first value to the first units, so that first goes with first.
   */
  parts(cells: BucketCells, whole: number): readonly number[];
  /** How often the values take turns along the units: aspects with different turns mix. */
  readonly turns: number;
}

/** Units of one kind, such as requests or kilobytes, of which each has one value of each aspect. */
export interface Population {
  readonly name: string;
  whole(cells: BucketCells): number;
  readonly aspects: readonly Aspect[];
}

/** Index of the value of an aspect, by the aspect's name. */
export type Unit = (aspect: string) => number;

/**
 * Divides a population by several of its aspects at once. Every unit keeps its values whichever aspects are asked for, so
 * that a finer division always adds up to a coarser one, and each aspect to its parts.
 */
export function divide(
  population: Population,
  aspects: readonly Aspect[],
  cells: BucketCells,
  visit: (units: number, unit: Unit) => void,
): void {
  const whole = population.whole(cells);
  if (whole <= 0) return;
  const runs = aspects.map((aspect) => new Runs(aspect, cells, whole));
  const places = new Map(runs.map((run) => [run.name, run]));
  const unit: Unit = (aspect) => places.get(aspect)?.value ?? 0;
  for (let done = 0; done < whole; ) {
    let units = whole - done;
    for (const run of runs) units = Math.min(units, run.left);
    visit(units, unit);
    for (const run of runs) run.pass(units);
    done += units;
  }
}

/** The values of one aspect along the units: stretches of equal values. */
class Runs {
  readonly name: string;
  readonly #parts: readonly number[];
  readonly #turns: number;
  #turn = 0;
  /** The value of the current stretch. */
  value = -1;
  /** How many units are left of it. */
  left = 0;

  constructor({ name, parts, turns }: Aspect, cells: BucketCells, whole: number) {
    this.name = name;
    this.#parts = parts(cells, whole);
    this.#turns = turns;
    this.#next();
  }

  pass(units: number): void {
    this.left -= units;
    if (this.left === 0) this.#next();
  }

  #next(): void {
    while (this.left === 0 && this.#turn < this.#turns) {
      this.value++;
      if (this.value === this.#parts.length) {
        this.value = -1;
        this.#turn++;
        continue;
      }
      const part = this.#parts[this.value] ?? 0;
      const until = (turn: number) => Math.floor((part * turn) / this.#turns);
      this.left = until(this.#turn + 1) - until(this.#turn);
    }
    if (this.left === 0) this.left = Number.POSITIVE_INFINITY;
  }
}

/** A whole divided like these parts are; all of it is the value `otherwise` where they are nothing. */
export function dividedLike(parts: readonly number[], whole: number, otherwise: number): readonly number[] {
  const total = parts.reduce((sum, part) => sum + part, 0);
  if (total === 0) return parts.map((_, index) => (index === otherwise ? whole : 0));
  let passed = 0;
  let given = 0;
  return parts.map((part) => {
    passed += part;
    const until = Math.floor((whole * passed) / total);
    const share = until - given;
    given = until;
    return share;
  });
}

/** An aspect whose values are cells of a group, in the order of these values. */
export function aspectOf(name: string, group: Group, values: readonly string[], turns: number): Aspect {
  const places = values.map((value) => (GROUPS[group] as readonly string[]).indexOf(value));
  return { name, values, turns, parts: (cells) => places.map((place) => cells.cell(group, place)) };
}

/** The aspect of another population that is divided as this one is; all of it is `otherwise` where there is nothing of this. */
export function alike(aspect: Aspect, like: Population, otherwise = 0): Aspect {
  const parts: Aspect['parts'] = (cells, whole) =>
    dividedLike(aspect.parts(cells, like.whole(cells)), whole, otherwise);
  return { ...aspect, parts };
}
