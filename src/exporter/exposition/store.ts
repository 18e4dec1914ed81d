import type { Labels, Sample } from '../catalogue/family.ts';
import { Families, type Page } from './family-lines.ts';
import { LabelTexts, shownLabels } from './label-text.ts';
import type { ShownSample } from './text-format.ts';

/** Marker of a series that is not exposed, because it is beyond the limit or a duplicate. */
const NOT_SHOWN = -1;

/** Number of an exposed series, or the label text of one that is not exposed. */
type SeriesOrText = number | string;

/** Number of samples handled in one step. */
const STEP_SAMPLES = 100;

interface Owner {
  readonly name: string;
  /** Last published samples until they are applied; undefined afterwards. */
  published: readonly Sample[] | undefined;
  /** Expiry, in milliseconds since the epoch. */
  until: number;
  /** Series number of each applied sample, in order, or `NOT_SHOWN`. */
  shown: readonly number[];
}

/**
 * Samples of `/metrics`, by owner. An owner's samples replace those it published before. Publishing only queues; an `Exposition`
 * applies the queue in small steps, so that a hundred thousand series do not block. Each series is exposed once, even if several
 * owners publish it. At most `seriesLimit` series are exposed.
 */
export class Store {
  readonly #families = new Families();
  readonly #labelTexts = new LabelTexts();
  readonly #owners = new Map<string, Owner>();
  /** Owners with changes to apply, in the order in which they were queued. */
  #queue = new Set<Owner>();
  #listener: () => void = () => {};
  /** Returns true for an excluded family; undefined if no family is excluded. */
  #isExcluded: ((family: string) => boolean) | undefined;
  /** True if everything exposed was checked against the exclusions. */
  #isChecked = true;
  #dropped = 0;
  #duplicates = 0;

  /** Maximum number of series of all owners together. Lowering it removes no exposed series. */
  seriesLimit: number;

  constructor({ seriesLimit }: Pick<Store, 'seriesLimit'>) {
    this.seriesLimit = seriesLimit;
  }

  /** Excludes these families from now on, also exposed series. An included family appears with its next publication. */
  exclude(isExcluded: ((family: string) => boolean) | undefined): void {
    this.#isExcluded = isExcluded;
    this.#isChecked = false;
    this.#listener();
  }

  /** Number of exposed series. */
  get seriesCount(): number {
    return this.#families.table.count;
  }

  /** Number of times that a series was dropped because of the limit. It never decreases. */
  get droppedSeries(): number {
    return this.#dropped;
  }

  /** Number of samples dropped because their series was exposed already: Prometheus rejects scrapes with repeated series. */
  get duplicateSeries(): number {
    return this.#duplicates;
  }

  /** Number of label values that were truncated. */
  get shortenedLabels(): number {
    return this.#labelTexts.shortenedCount;
  }

  /** Labels with truncated values, each with its first exposed value. */
  get shortened(): ReadonlyMap<string, string> {
    return this.#labelTexts.shortened;
  }

  /**
   * Replaces everything that `owner` exposes, until `expire` is called with a time of `until` or later. `samples` must not change.
   * Callers should reuse one `Labels` object per series, whose text is then written only once.
   */
  publish(owner: string, samples: readonly Sample[], until: number): void {
    const known = this.#owners.get(owner);
    const entry = known ?? { name: owner, published: undefined, until, shown: [] };
    if (known === undefined) this.#owners.set(owner, entry);
    entry.until = until;
    this.#enqueue(entry, this.#withoutExcluded(samples));
  }

  /** Removes everything that `owner` exposes. */
  withdraw(owner: string): void {
    const entry = this.#owners.get(owner);
    if (entry !== undefined) this.#withdraw(entry);
  }

  /** Removes owners that have expired by `now`; returns their number. */
  expire(now: number): number {
    let count = 0;
    for (const entry of this.#owners.values()) {
      if (now < entry.until) continue;
      this.#withdraw(entry);
      count++;
    }
    return count;
  }

  /** Sets the listener that is called when there are changes to render; it replaces an earlier one. */
  onChange(listener: () => void): void {
    this.#listener = listener;
    if (this.#queue.size > 0) listener();
  }

  /** Renders the pages in small steps, between which they stay unchanged. */
  *refresh(): Generator<undefined, void> {
    yield* this.apply();
    yield* this.#families.render();
  }

  /** Adds the last rendered samples of the wanted families to a map, by the text of their lines, in small steps. */
  *collect(wants: (family: string) => boolean, into: Map<string, ShownSample>): Generator<undefined, void> {
    const { table } = this.#families;
    for (const { shown } of this.#owners.values()) {
      for (const [index, series] of shown.entries()) {
        const family = table.chunks[series]?.family.family;
        if (family !== undefined && wants(family.name)) {
          const labels = shownLabels(table.labels[series] ?? {});
          into.set(family.name + table.textOf(series), { family, labels, value: table.values[series] ?? 0 });
        }
        if (index % STEP_SAMPLES === STEP_SAMPLES - 1) yield;
      }
      yield;
    }
  }

  /** Returns the last rendered pages, which never change. */
  pages(): readonly Page[] {
    return this.#families.pages();
  }

  /** Removes the samples of an owner, and the owner itself. */
  #withdraw(entry: Owner): void {
    entry.until = Number.POSITIVE_INFINITY;
    this.#enqueue(entry, []);
  }

  #withoutExcluded(samples: readonly Sample[]): readonly Sample[] {
    const excluded = this.#isExcluded;
    return excluded === undefined ? samples : samples.filter(({ family }) => !excluded(family.name));
  }

  #enqueue(owner: Owner, samples: readonly Sample[]): void {
    owner.published = samples;
    this.#queue.add(owner);
    this.#listener();
  }

  /** Applies the present queue in small steps. Later publications wait for the next call. */
  *apply(): Generator<undefined, void> {
    if (!this.#isChecked) yield* this.#leaveOut();
    const queue = this.#queue;
    this.#queue = new Set();
    for (const owner of queue) {
      const { published } = owner;
      // An earlier run of the queue has already applied this publication.
      if (published === undefined) continue;
      if (!(yield* this.#update(owner.shown, published)))
        owner.shown = yield* this.#replace(owner.shown, published);
      if (owner.published !== published) continue;
      owner.published = undefined;
      if (published.length === 0) this.#owners.delete(owner.name);
      yield;
    }
  }

  /** Removes exposed series that are excluded. */
  *#leaveOut(): Generator<undefined, void> {
    this.#isChecked = true;
    const { chunks } = this.#families.table;
    for (const owner of this.#owners.values()) {
      owner.published = owner.published && this.#withoutExcluded(owner.published);
      owner.shown = owner.shown.map((series) => {
        const lines = chunks[series]?.family;
        if (lines === undefined || !this.#isExcluded?.(lines.name)) return series;
        lines.remove(series);
        return NOT_SHOWN;
      });
      yield;
    }
  }

  /** Sets new values for the same series, which is the usual case. Returns false if the series differ. */
  *#update(shown: readonly number[], samples: readonly Sample[]): Generator<undefined, boolean> {
    if (shown.length !== samples.length) return false;
    const { chunks, labels: known } = this.#families.table;
    let index = 0;
    for (const { family, labels, value } of samples) {
      const series = shown[index] ?? NOT_SHOWN;
      const lines = chunks[series]?.family;
      if (lines?.name !== family.name) return false;
      if (known[series] !== labels && !this.#isOf(labels, series)) return false;
      lines.change(series, value);
      index += 1;
      if (index % STEP_SAMPLES === 0) yield;
    }
    return true;
  }

  /** Returns true if a series has equal labels in another object. */
  #isOf(labels: Labels, series: number): boolean {
    const { table } = this.#families;
    if (table.textOf(series) !== this.#labelTexts.of(labels)) return false;
    table.labels[series] = labels;
    return true;
  }

  /** Replaces the former series of an owner with `samples`; returns the new series numbers. */
  *#replace(before: readonly number[], samples: readonly Sample[]): Generator<undefined, readonly number[]> {
    const known = yield* this.#known(before, samples);
    const wanted = new Set<SeriesOrText>(known);
    const own = new Set<number>();
    let steps = 0;
    for (const series of before) {
      if (wanted.has(series)) own.add(series);
      else this.#families.table.chunks[series]?.family.remove(series);
      steps += 1;
      if (steps % STEP_SAMPLES === 0) yield;
    }
    const after: number[] = [];
    for (const sample of samples) {
      after.push(this.#show(sample, known[after.length] ?? '', own));
      if (after.length % STEP_SAMPLES === 0) yield;
    }
    return after;
  }

  /** Yields the series of each sample, or its label text if it is not exposed. */
  *#known(
    before: readonly number[],
    samples: readonly Sample[],
  ): Generator<undefined, readonly SeriesOrText[]> {
    const { table } = this.#families;
    const own = new Map(before.map((series) => [table.labels[series], series]));
    const known: SeriesOrText[] = [];
    for (const { family, labels } of samples) {
      const series = own.get(labels) ?? NOT_SHOWN;
      if (table.chunks[series]?.family.name === family.name) known.push(series);
      else {
        const text = this.#labelTexts.of(labels);
        known.push(this.#families.find(family)?.find(text) ?? text);
      }
      if (known.length % STEP_SAMPLES === 0) yield;
    }
    return known;
  }

  /** Exposes a sample if it is new and within the limit, or already one of the owner's own. Removes it from `own`. */
  #show({ family, labels, value }: Sample, known: SeriesOrText, own: Set<number>): number {
    const lines = this.#families.of(family);
    // An earlier one of these samples may have added it.
    const shown = typeof known === 'number' ? known : (lines.find(known) ?? known);
    if (typeof shown === 'number' && !own.delete(shown)) {
      this.#duplicates++;
      return NOT_SHOWN;
    }
    if (typeof shown === 'string' && this.seriesCount >= this.seriesLimit) {
      this.#dropped++;
      return NOT_SHOWN;
    }
    if (typeof shown === 'number') lines.change(shown, value);
    const series = typeof shown === 'number' ? shown : lines.add(shown, value);
    this.#families.table.labels[series] = labels;
    return series;
  }
}
