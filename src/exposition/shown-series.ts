import type { Family, Sample } from '../catalogue/family.ts';
import type { Run } from './chunk.ts';
import { FamilyLines } from './family-lines.ts';
import { LabelTexts } from './label-text.ts';

/** An owner's samples of one family. */
interface Group {
  readonly texts: string[];
  readonly values: number[];
}

/** What an owner shows. */
type Shown = ReadonlyMap<FamilyLines, readonly Run[]>;

/** So many samples are dealt with in one step. */
const STEP_SAMPLES = 100;

/** Whether the runs show just these series, in this order. */
function showSeries(runs: readonly Run[], texts: readonly string[]): boolean {
  let from = 0;
  for (const run of runs) {
    if (!run.texts.every((text, line) => text === texts[from + line])) return false;
    from += run.texts.length;
  }
  return from === texts.length;
}

/**
 * The series that are shown, by owner and by family: each once, whoever publishes it, and no more than the limit.
 * Changes are made in small steps, since an owner may have any number of series.
 */
export class ShownSeries {
  readonly #labelTexts = new LabelTexts();
  readonly #families = new Map<string, FamilyLines>();
  readonly #owners = new Map<string, ReadonlyMap<FamilyLines, readonly Run[]>>();
  #count = 0;
  #dropped = 0;
  #duplicates = 0;

  /** How many series are shown at most; a lower limit makes none go that is shown already. */
  limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** How many times a series was left out because of the limit. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How many times a series was left out because it was shown already. */
  get duplicates(): number {
    return this.#duplicates;
  }

  /** The families that have series, by name. */
  get families(): readonly FamilyLines[] {
    return [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Replaces everything the owner shows. */
  *replace(owner: string, samples: readonly Sample[]): Generator<undefined, void> {
    const groups = yield* this.#group(samples);
    const before: Shown = this.#owners.get(owner) ?? new Map();
    const kept = yield* this.#removeOthers(before, groups);
    const after = new Map<FamilyLines, readonly Run[]>();
    for (const [family, group] of groups) {
      const runs = kept.get(family);
      if (runs !== undefined) yield* family.update(runs, group.values);
      after.set(family, runs ?? (yield* this.#add(family, group)));
    }
    if (after.size > 0) this.#owners.set(owner, after);
    else this.#owners.delete(owner);
    for (const family of [...before.keys(), ...after.keys()]) {
      if (family.isEmpty) this.#families.delete(family.name);
    }
  }

  *#group(samples: readonly Sample[]): Generator<undefined, ReadonlyMap<FamilyLines, Group>> {
    const groups = new Map<FamilyLines, Group>();
    for (const [index, { family, labels, value }] of samples.entries()) {
      const lines = this.#linesOf(family);
      const group = groups.get(lines) ?? { texts: [], values: [] };
      if (group.texts.length === 0) groups.set(lines, group);
      group.texts.push(this.#labelTexts.of(labels));
      group.values.push(value);
      if (index % STEP_SAMPLES === STEP_SAMPLES - 1) yield;
    }
    return groups;
  }

  #linesOf(family: Family): FamilyLines {
    const known = this.#families.get(family.name);
    if (known !== undefined) return known;
    const lines = new FamilyLines(family);
    this.#families.set(family.name, lines);
    return lines;
  }

  /** Removes what was shown and is no longer, or not with the same series; returns what is left. */
  *#removeOthers(before: Shown, groups: ReadonlyMap<FamilyLines, Group>): Generator<undefined, Shown> {
    const kept = new Map<FamilyLines, readonly Run[]>();
    for (const [family, runs] of before) {
      if (showSeries(runs, groups.get(family)?.texts ?? [])) {
        kept.set(family, runs);
        continue;
      }
      for (const run of runs) {
        family.remove(run);
        this.#count -= run.texts.length;
        yield;
      }
    }
    return kept;
  }

  /** Adds those of the series that are new and within the limit, and counts the others. */
  *#add(family: FamilyLines, { texts, values }: Group): Generator<undefined, readonly Run[]> {
    const accepted: Group = { texts: [], values: [] };
    for (const [index, text] of texts.entries()) {
      if (this.#count >= this.limit && !family.has(text)) this.#dropped++;
      else if (!family.claim(text)) this.#duplicates++;
      else {
        this.#count++;
        accepted.texts.push(text);
        accepted.values.push(values[index] ?? Number.NaN);
      }
      if (index % STEP_SAMPLES === STEP_SAMPLES - 1) yield;
    }
    return yield* family.add(accepted.texts, accepted.values);
  }
}
