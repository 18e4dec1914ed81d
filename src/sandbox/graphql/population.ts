import { GROUPS, type Group } from '../traffic/groups.ts';

/** The cells of one bucket of one source. */
export interface BucketCells {
  /** Returns a cell of a group by its index. */
  cell(group: Group, index: number): number;
}

/** One property of each unit of a population, such as its status or its country. */
export interface Aspect {
  readonly name: string;
  readonly values: readonly string[];
  /**
   * Returns the number of units with each value, in the order of the values; they add up to the population. Aspects with the same
   * `turns` assign their values to the same sequence of units, so their orders must correspond.
   */
  parts(cells: BucketCells, whole: number): readonly number[];
  /** Number of units after which the values take turns. Aspects with different turns mix. */
  readonly turns: number;
}

/** Units of one kind, such as requests or kilobytes. Each has one value of each aspect. */
export interface Population {
  readonly name: string;
  whole(cells: BucketCells): number;
  readonly aspects: readonly Aspect[];
}

/** Function that returns the index of an aspect's value, by the aspect's name. */
export type Unit = (aspect: string) => number;

/**
 * Divides a population by several of its aspects at once. Every unit has the same values for any set of aspects. So a finer
 * division adds up to a coarser one, and each aspect to its parts.
 */
export function divide(
  population: Population,
  aspects: readonly Aspect[],
  cells: BucketCells,
  visit: (units: number, unit: Unit) => void,
): void {
  const whole = population.whole(cells);
  if (whole <= 0) return;
  const runs = aspects.map((aspect) => {
    const rest = stretches(aspect, cells, whole);
    return { name: aspect.name, rest, now: rest.next().value };
  });
  const places = new Map(runs.map((run) => [run.name, run]));
  const unit: Unit = (aspect) => places.get(aspect)?.now.value ?? 0;
  for (let done = 0; done < whole; ) {
    let units = whole - done;
    for (const { now } of runs) units = Math.min(units, now.left);
    visit(units, unit);
    for (const run of runs) {
      run.now.left -= units;
      if (run.now.left === 0) run.now = run.rest.next().value;
    }
    done += units;
  }
}

/** Yields the ranges of units that have the same value of an aspect. After the last range, no unit has a value. */
function* stretches(
  { parts, turns }: Aspect,
  cells: BucketCells,
  whole: number,
): Generator<Stretch, Stretch> {
  const all = parts(cells, whole);
  for (let turn = 0; turn < turns; turn++) {
    for (const [value, part] of all.entries()) {
      const left = Math.floor((part * (turn + 1)) / turns) - Math.floor((part * turn) / turns);
      if (left > 0) yield { value, left };
    }
  }
  return { value: -1, left: Number.POSITIVE_INFINITY };
}

interface Stretch {
  readonly value: number;
  left: number;
}

/** Divides a whole in the proportions of the parts. If all parts are zero, the value `otherwise` gets the whole. */
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

/** Returns an aspect whose values are cells of a group, in the order of these values. */
export function aspectOf(name: string, group: Group, values: readonly string[], turns: number): Aspect {
  const places = values.map((value) => (GROUPS[group] as readonly string[]).indexOf(value));
  return { name, values, turns, parts: (cells) => places.map((place) => cells.cell(group, place)) };
}

/** Returns the aspect of a population in the proportions of another population; `otherwise` if that one is zero. */
export function alike(aspect: Aspect, like: Population, otherwise = 0): Aspect {
  const parts: Aspect['parts'] = (cells, whole) =>
    dividedLike(aspect.parts(cells, like.whole(cells)), whole, otherwise);
  return { ...aspect, parts };
}
