import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { groupedBy } from '../grouped-by.ts';
import { QUEUE, type State, type StateEntry, type StateKey, StateWriteFailure } from '../state/state.ts';
import { EntryShapes, packEntry, unpackEntry } from './outbox-entry.ts';
import { type PushedSample, pushed, selectionOf } from './protocol.ts';
import { entryNameOf, WaitingEntries, type WaitingEntry } from './waiting-entries.ts';

/** Reasons why samples are removed from an outbox unsent. */
export const DROP_REASONS = ['outbox_full', 'outbox_age', 'receiver_removed', 'damaged'] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Reports the number of samples that were removed unsent. */
export type OnDropped = (name: string, reason: DropReason, samples: number) => void;

/** Samples for one request, with at most one of each series. */
export interface Batch {
  readonly entries: readonly WaitingEntry[];
  readonly samples: readonly PushedSample[];
}

/** Settings of a receiver that its queue needs. */
export type QueuedReceiver = Pick<Receiver, 'name' | 'families' | 'accounts' | 'outbox'>;

/** Key prefix of the queued entries. The destination and the order of arrival follow. */
export const QUEUES: StateKey = [QUEUE, 'push'];

/** Delay (ms) before a failed disk operation is retried. */
const RETRY_MS = 10_000;

/** Number of entries searched for those that fit into one request. */
const LOOKAHEAD = 1_000;

interface QueueOptions {
  readonly destinationId: string;
  /** Name and age limit (ms) from the destination's last configuration. */
  readonly former: { readonly name: string; readonly maxAge: number };
  readonly state: State;
  readonly clock: Clock;
  readonly onDropped: OnDropped;
}

/** Queue of one destination: its entries on disk, and their sizes and times in memory. */
export class DestinationQueue {
  readonly destinationId: string;
  /** Emits `added` when samples are queued. */
  readonly arrivals = new EventEmitter();
  readonly #options: QueueOptions;
  readonly #prefix: StateKey;
  readonly #waiting = new WaitingEntries();
  readonly #shapes = new EntryShapes();
  #receiver: QueuedReceiver | undefined;
  #wants: (sample: TimedSample) => boolean = () => false;
  #former: QueueOptions['former'];
  #sending: ReadonlySet<WaitingEntry> = new Set();

  constructor(options: QueueOptions) {
    this.#options = options;
    this.destinationId = options.destinationId;
    this.#prefix = [...QUEUES, options.destinationId];
    this.#former = options.former;
  }

  /** Receiver at the destination; undefined if none is configured. */
  get receiver(): QueuedReceiver | undefined {
    return this.#receiver;
  }

  set receiver(receiver: QueuedReceiver | undefined) {
    this.#receiver = receiver;
    this.#wants = receiver === undefined ? () => false : selectionOf(receiver);
    if (receiver !== undefined) this.#former = { name: receiver.name, maxAge: receiver.outbox.max_age };
  }

  /** Name and age limit (ms) from the destination's last configuration. */
  get former(): QueueOptions['former'] {
    return this.#former;
  }

  /** Numbers of queued samples and bytes, and the time since which the oldest is queued. */
  get waiting(): Readonly<Pick<WaitingEntries, 'samples' | 'bytes' | 'oldest'>> {
    return this.#waiting;
  }

  /** Adds the entries of an earlier run. */
  takeUp(entries: readonly WaitingEntry[]): void {
    this.#waiting.addBefore(entries);
    this.arrivals.emit('added');
  }

  /** Returns the entries for samples of a source, each under its own name. */
  prepare(
    source: string,
    samples: readonly TimedSample[],
    nextName: () => string,
  ): { readonly waiting: WaitingEntry; readonly entry: StateEntry }[] {
    const wanted = samples.filter(this.#wants);
    const { clock } = this.#options;
    const [queuedAt, since] = [clock.wall(), clock.now()];
    return byTime(wanted).map((group) => {
      const bytes = packEntry({ source, queuedAt, samples: group.map(pushed) });
      const key = [...this.#prefix, nextName()];
      const waiting = { key, source, queuedAt, since, bytes: bytes.length, samples: group.length };
      return { waiting, entry: { key, value: bytes } };
    });
  }

  /** Adds entries that are durable already. */
  async admit(entries: readonly WaitingEntry[]): Promise<void> {
    for (const waiting of entries) this.#waiting.add(waiting);
    this.arrivals.emit('added');
    await this.keepWithinLimits();
  }

  /** Returns the first entry of each source, up to `most` samples and at least one entry. */
  async next(most: number): Promise<Batch> {
    this.#sending = new Set();
    await this.keepWithinLimits();
    const chosen = this.#waiting.firstOfEach(most, LOOKAHEAD);
    this.#sending = new Set(chosen);
    const stored = await this.#options.state.read(chosen.map(({ key }) => key));
    const found = new Map(stored.map(({ key, value }) => [entryNameOf(key), value]));
    const entries: WaitingEntry[] = [];
    const samples: PushedSample[] = [];
    const lost: WaitingEntry[] = [];
    for await (const waiting of inTurns(chosen)) {
      // A database that has failed over may lack its last commits.
      const entry = unpackEntry(found.get(entryNameOf(waiting.key)), this.#shapes);
      (entry === undefined ? lost : entries).push(waiting);
      for (const sample of entry?.samples ?? []) samples.push(sample);
    }
    await this.#drop('damaged', lost);
    return { entries, samples };
  }

  /** Removes delivered entries from the queue and the disk. Retries until the disk succeeds, or the signal aborts. */
  async remove({ entries }: Batch, signal: AbortSignal): Promise<void> {
    const { state, clock } = this.#options;
    for (;;) {
      try {
        await state.commit(entries.map(({ key }) => ({ key, value: undefined })));
        break;
      } catch (error) {
        if (!(error instanceof StateWriteFailure)) throw error;
        await clock.sleep(RETRY_MS, signal);
      }
    }
    for (const entry of entries) this.#waiting.delete(entry);
    // Later entries share no series with earlier ones.
    if (this.#waiting.samples === 0) this.#shapes.clear();
  }

  /** Drops the oldest entries beyond the limits, except those being sent, which may have arrived. */
  async keepWithinLimits(): Promise<void> {
    const bytes = this.#receiver?.outbox.max_bytes ?? Number.POSITIVE_INFINITY;
    const since = this.#options.clock.now() - this.#former.maxAge;
    const { full, old } = this.#waiting.beyond({ bytes, since }, this.#sending);
    await this.#drop('outbox_full', full);
    await this.#drop(this.#receiver === undefined ? 'receiver_removed' : 'outbox_age', old);
  }

  /** Drops entries. If the disk fails, a later run drops them again. */
  async #drop(reason: DropReason, entries: readonly WaitingEntry[]): Promise<void> {
    // The entry may have been removed and counted for another reason meanwhile.
    const gone = entries.filter((entry) => this.#waiting.delete(entry));
    if (gone.length === 0) return;
    const samples = gone.reduce((sum, entry) => sum + entry.samples, 0);
    this.#options.onDropped(this.#former.name, reason, samples);
    const removals = gone.map(({ key }) => ({ key, value: undefined }));
    await this.#options.state.commit(removals).catch(() => undefined);
  }
}

/** Number of entries processed in one turn of the event loop. */
const A_TURN = 25;

/** Yields all entries, in turns that yield to other work. */
export async function* inTurns<Entry>(entries: readonly Entry[]): AsyncGenerator<Entry, void> {
  for (const [index, entry] of entries.entries()) {
    if (index % A_TURN === A_TURN - 1) await setImmediate();
    yield entry;
  }
}

/** Maximum number of samples per entry, because an entry is sent as a whole. */
const ENTRY_SAMPLES = 2_000;

/** Returns samples grouped by time, the earliest first, in chunks that fit into an entry. */
function byTime(samples: readonly TimedSample[]): TimedSample[][] {
  return [...groupedBy(samples, ({ at }) => at)]
    .sort(([a], [b]) => a - b)
    .flatMap(([, group]) =>
      Array.from({ length: Math.ceil(group.length / ENTRY_SAMPLES) }, (_, part) =>
        group.slice(part * ENTRY_SAMPLES, (part + 1) * ENTRY_SAMPLES),
      ),
    );
}
