import type { Sample } from '../catalogue/family.ts';
import type { FamilyLines } from './family-lines.ts';
import { ShownSeries } from './shown-series.ts';

/** The latest word of an owner. */
interface Publication {
  /** Undefined once they are shown. */
  samples: readonly Sample[] | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * What `/metrics` shows, by owner: whoever polls publishes what it found under its own name, in place of what it
 * published before. Publishing only queues. An `Exposition` carries the queue out in small steps, so that a hundred
 * thousand series may be published at once without holding up anything else.
 */
export class Store {
  readonly #shown: ShownSeries;
  readonly #publications = new Map<string, Publication>();
  /** Owners with something to carry out, in the order in which they first asked for it. */
  #queue = new Set<string>();
  #listener: () => void = () => {};

  /** @param options.seriesLimit how many series are shown at most, of all owners together */
  constructor({ seriesLimit }: { readonly seriesLimit: number }) {
    this.#shown = new ShownSeries(seriesLimit);
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

  /** The families shown, by name. */
  get families(): readonly FamilyLines[] {
    return this.#shown.families;
  }

  /**
   * Replaces everything `owner` shows, all at once, until somebody calls `expire` with a time of `until` or later.
   * `samples` must stay as they are. A caller that keeps one `Labels` object for each series spares the writing of its text.
   */
  publish(owner: string, samples: readonly Sample[], until: number): void {
    this.#publications.set(owner, { samples, until });
    this.#enqueue(owner);
  }

  /** Removes everything that `owner` shows. */
  withdraw(owner: string): void {
    if (this.#publications.delete(owner)) this.#enqueue(owner);
  }

  /** Removes what has come to its end by `now`; returns how many owners that were. */
  expire(now: number): number {
    let count = 0;
    for (const [owner, { until }] of this.#publications) {
      if (now < until) continue;
      this.withdraw(owner);
      count++;
    }
    return count;
  }

  /** Has `listener` called, instead of an earlier one, whenever there is something to carry out. */
  onChange(listener: () => void): void {
    this.#listener = listener;
    if (this.#queue.size > 0) listener();
  }

  #enqueue(owner: string): void {
    this.#queue.add(owner);
    this.#listener();
  }

  /** Carries out, in small steps, what is queued now. What is queued meanwhile waits for the next time. */
  *apply(): Generator<undefined, void> {
    const queue = this.#queue;
    this.#queue = new Set();
    for (const owner of queue) {
      const publication = this.#publications.get(owner);
      // Published anew while it waited in the queue before: then it has been shown from there.
      if (publication !== undefined && publication.samples === undefined) continue;
      yield* this.#shown.replace(owner, publication?.samples ?? []);
      if (publication !== undefined) publication.samples = undefined;
      yield;
    }
  }
}
