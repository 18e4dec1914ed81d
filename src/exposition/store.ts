import type { Sample } from '../catalogue/family.ts';
import type { ExpositionPart } from './exposition.ts';
import type { OnShortened } from './sample-text.ts';
import type { Page } from './segment.ts';
import { type OwnedSeries, ShownSeries } from './shown-series.ts';

const NOTHING: readonly never[] = [];

interface Owner {
  readonly name: string;
  /** What it published last, until that is carried out. */
  published: readonly Sample[] | undefined;
  /** Milliseconds since the epoch. */
  until: number;
  shown: OwnedSeries;
}

export interface StoreOptions {
  readonly seriesLimit: number;
  readonly onShortened?: OnShortened;
}

/**
 * What `/metrics` shows, by owner: whoever polls publishes what it found under its own name, in place of what it
 * published before. Publishing only queues. An `Exposition` carries the queue out in small steps, so that a hundred
 * thousand series may be published at once without holding up anything else.
 */
export class Store implements ExpositionPart {
  readonly #shown: ShownSeries;
  readonly #owners = new Map<string, Owner>();
  /** Owners with something to carry out, in the order in which they first asked for it. */
  #queue = new Set<Owner>();
  #listener: () => void = () => {};
  #shortened = 0;

  /** @param options.seriesLimit how many series are shown at most, of all owners together */
  constructor({ seriesLimit, onShortened }: StoreOptions) {
    this.#shown = new ShownSeries(seriesLimit, (name, value) => {
      this.#shortened += 1;
      onShortened?.(name, value);
    });
  }

  /** Changes how many series are shown at most; it takes effect as owners publish anew. */
  set seriesLimit(limit: number) {
    this.#shown.limit = limit;
  }

  /** How many series are shown. */
  get seriesCount(): number {
    return this.#shown.count;
  }

  /** How many times a series was published and left out because of the limit. It only grows. */
  get droppedSeries(): number {
    return this.#shown.dropped;
  }

  /**
   * How many times a series was published and left out because it was shown already, by this owner or another.
   * It only grows. Prometheus rejects the whole of a scrape in which a series is found twice.
   */
  get duplicateSeries(): number {
    return this.#shown.duplicates;
  }

  /** How many label values were too long and are shown shortened, each time that their text was written. */
  get shortenedLabels(): number {
    return this.#shortened;
  }

  /**
   * Replaces everything `owner` shows, all at once, until somebody calls `expire` with a time of `until` or later.
   * `samples` must stay as they are. A caller that keeps one `Labels` object for each series spares the writing of its text.
   */
  publish(owner: string, samples: readonly Sample[], until: number): void {
    const known = this.#owners.get(owner);
    const entry = known ?? { name: owner, published: undefined, until, shown: NOTHING };
    if (known === undefined) this.#owners.set(owner, entry);
    entry.until = until;
    this.#enqueue(entry, samples);
  }

  /** Removes everything that `owner` shows. */
  withdraw(owner: string): void {
    const entry = this.#owners.get(owner);
    if (entry !== undefined) this.#withdraw(entry);
  }

  /** Removes what has come to its end by `now`; returns how many owners that were. */
  expire(now: number): number {
    let count = 0;
    for (const entry of this.#owners.values()) {
      if (now < entry.until) continue;
      this.#withdraw(entry);
      count++;
    }
    return count;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
    if (this.#queue.size > 0) listener();
  }

  *refresh(): Generator<undefined, void> {
    yield* this.apply();
    yield* this.#shown.families.render();
  }

  pages(): readonly Page[] {
    return this.#shown.families.pages();
  }

  /** An owner that shows nothing is forgotten; what comes after that of the same name is another one. */
  #withdraw(entry: Owner): void {
    entry.until = Number.POSITIVE_INFINITY;
    this.#enqueue(entry, NOTHING);
  }

  #enqueue(owner: Owner, samples: readonly Sample[]): void {
    owner.published = samples;
    this.#queue.add(owner);
    this.#listener();
  }

  /** Carries out, in small steps, what is queued now. What is queued meanwhile waits for the next time. */
  *apply(): Generator<undefined, void> {
    const queue = this.#queue;
    this.#queue = new Set();
    for (const owner of queue) {
      const { published } = owner;
      // Published anew while it waited in the queue before: then it has been shown from there.
      if (published === undefined) continue;
      owner.shown = yield* this.#shown.replace(owner.shown, published);
      if (owner.published !== published) continue;
      owner.published = undefined;
      if (published.length === 0) this.#owners.delete(owner.name);
      yield;
    }
  }
}
