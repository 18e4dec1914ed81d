import type { Receiver } from '../configuration/push-settings.ts';
import type { ShownSample } from '../exposition/text-format.ts';
import { type PushedSample, selectionOf } from './protocol.ts';

/** Samples of `/metrics` by series. The key is the text of the line before the value. */
export type ShownSamples = ReadonlyMap<string, ShownSample>;

/** All samples of `/metrics` except buckets at one moment, and the ends of series that disappeared. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly samples: readonly PushedSample[];
}

/** Series that Prometheus adds to a successful scrape, with the labels `job` and `instance`. */
const UP: ShownSample = {
  family: { name: 'up', type: 'gauge', help: 'Whether the exporter runs.' },
  labels: {},
  value: 1,
};

/** Maximum step back (ms) of the clock for which snapshots pause until the clock has caught up, so that they stay in order. */
const WAITED_FOR_MS = 60_000;

interface SnapshotOptions {
  readonly receiver: Pick<Receiver, 'families' | 'accounts' | 'labels' | 'buckets_only'>;
  /** Start time of the exporter's own counters (ms since the epoch). */
  readonly startedAt: number;
  /** Name of this exporter among several; undefined for a single one. It distinguishes their series. */
  readonly instance?: string | undefined;
  readonly onAdded: () => void;
}

/** Snapshots for one receiver. Stores one at a time in memory, so that an unavailable receiver costs nothing. */
export class SnapshotSlot {
  readonly #options: SnapshotOptions;
  readonly #wants: ReturnType<typeof selectionOf>;
  /** Next snapshot to send; undefined if there is none. */
  waiting: Snapshot | undefined;
  /** Series of the last snapshot that was sent or is waiting. */
  #shown = new Map<string, PushedSample>();
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#wants = selectionOf(options.receiver);
  }

  /** Returns true if a snapshot may be taken now (ms since the epoch). No two have one time, even if a clock is set back. */
  isFree(at: number): boolean {
    const isNew = at > this.#lastAt || at < this.#lastAt - WAITED_FOR_MS;
    return !this.#options.receiver.buckets_only && this.waiting === undefined && isNew;
  }

  take(page: ShownSamples, at: number): void {
    const { receiver, startedAt, instance, onAdded } = this.#options;
    const wanted = new Map([...page].filter(([, sample]) => this.#wants(sample)));
    if (receiver.labels['job'] !== undefined && this.#wants(UP)) wanted.set(UP.family.name, UP);
    const series = new Map<string, PushedSample>();
    for (const [key, { family, value, labels: own }] of wanted) {
      const labels = instance === undefined ? own : { instance, ...own };
      const since = family.type === 'gauge' ? undefined : startedAt;
      series.set(key, { series: this.#shown.get(key)?.series ?? { family, labels }, value, at, since });
    }
    const ended = [...this.#shown].filter(([key]) => !series.has(key));
    const ends = ended.map(([, sample]): PushedSample => ({ ...sample, value: Number.NaN, at, ended: true }));
    this.#shown = series;
    this.#lastAt = at;
    this.waiting = { at, samples: [...series.values(), ...ends] };
    onAdded();
  }

  /** Removes the snapshot after it was sent. */
  sent(): void {
    this.waiting = undefined;
  }
}
