import type { Receiver } from '../configuration/push-settings.ts';
import type { ShownSample } from '../exposition/text-format.ts';
import { type PushedSample, selectionOf } from './protocol.ts';

/** What `/metrics` shows, by series: the text of its line up to the value. */
export type ShownSamples = ReadonlyMap<string, ShownSample>;

/** What `/metrics` showed at one moment besides buckets, and the ends of series that it showed no more. */
export interface Snapshot {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly samples: readonly PushedSample[];
}

/** What Prometheus makes of a scrape that went well; it tells whose by the labels `job` and `instance`. */
const UP: ShownSample = {
  family: { name: 'up', type: 'gauge', help: 'Whether the exporter runs.' },
  labels: {},
  value: 1,
};

interface ReceiverSnapshotsOptions {
  readonly receiver: Pick<Receiver, 'families' | 'accounts' | 'labels' | 'buckets_only'>;
  /** When the exporter's own counters were at zero (ms since the epoch). */
  readonly startedAt: number;
  /** Of several exporters, each shows its own: as one that is scraped, by its name. */
  readonly instance?: string | undefined;
  readonly onAdded: () => void;
}

/** The snapshots for one receiver: one at a time in memory, so that one that is away costs nothing. */
export class ReceiverSnapshots {
  readonly #options: ReceiverSnapshotsOptions;
  readonly #wants: (sample: ShownSample) => boolean;
  /** What is to be sent next. */
  waiting: Snapshot | undefined;
  /** The series of the last snapshot that was sent, or that waits. */
  #shown = new Map<string, PushedSample>();
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReceiverSnapshotsOptions) {
    this.#options = options;
    this.#wants = selectionOf(options.receiver);
  }

  /** Whether a snapshot may be taken now (ms since the epoch): not twice for one moment, wherever the clock is set. */
  isFree(at: number): boolean {
    return !this.#options.receiver.buckets_only && this.waiting === undefined && at > this.#lastAt;
  }

  take(shown: ShownSamples, at: number): void {
    const { receiver, startedAt, instance, onAdded } = this.#options;
    const series = new Map<string, PushedSample>();
    const add = (key: string, sample: ShownSample): void => {
      if (!this.#wants(sample)) return;
      const since = sample.family.type === 'gauge' ? undefined : startedAt;
      const labels = instance === undefined ? sample.labels : { instance, ...sample.labels };
      series.set(key, { ...sample, labels, at, since });
    };
    for (const [key, sample] of shown) add(key, sample);
    if (receiver.labels['job'] !== undefined) add(UP.family.name, UP);
    const ended = [...this.#shown].filter(([key]) => !series.has(key));
    const ends = ended.map(([, sample]): PushedSample => ({ ...sample, value: Number.NaN, at, ended: true }));
    this.#shown = series;
    this.#lastAt = at;
    this.waiting = { at, samples: [...series.values(), ...ends] };
    onAdded();
  }

  /** What waits has been sent. */
  sent(): void {
    this.waiting = undefined;
  }
}
