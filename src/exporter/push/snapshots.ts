import type { Receiver } from '../configuration/push-settings.ts';
import type { ShownSample } from '../exposition/text-format.ts';
import { type PushedSample, selectionOf } from './protocol.ts';

/** Samples of `/metrics` by series, the text of the line up to the value. */
export type ShownSamples = ReadonlyMap<string, ShownSample>;

/** All samples of `/metrics` except buckets at one moment, and the ends of series that disappeared. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly samples: readonly PushedSample[];
}

/** Series that Prometheus adds to a successful scrape, with its labels `job` and `instance`. */
const UP: ShownSample = {
  family: { name: 'up', type: 'gauge', help: 'Whether the exporter runs.' },
  labels: {},
  value: 1,
};

/** Step back (ms) of the clock up to which snapshots pause until the clock has caught up, so that they stay in order. */
const WAITED_FOR_MS = 60_000;

interface SnapshotOptions {
  readonly receiver: Pick<Receiver, 'families' | 'accounts' | 'labels' | 'buckets_only'>;
  /** Time (ms since the epoch) at which the exporter's own counters were at zero. */
  readonly startedAt: number;
  /** Name of this exporter among several; each shows its own series. */
  readonly instance?: string | undefined;
  readonly onAdded: () => void;
}

/** The snapshots for one receiver: one at a time in memory, so that one that is away costs nothing. */
export class SnapshotSlot {
  readonly #options: SnapshotOptions;
  readonly #wants: ReturnType<typeof selectionOf>;
  /** The snapshot to be sent next. */
  waiting: Snapshot | undefined;
  /** The series of the last snapshot that was sent, or that waits. */
  #shown = new Map<string, PushedSample>();
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#wants = selectionOf(options.receiver);
  }

  /** Returns true if a snapshot may be taken now (ms since the epoch): not twice for one moment, though the clock is set back a little. */
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

  /** Forgets the snapshot, which has been sent. */
  sent(): void {
    this.waiting = undefined;
  }
}
