import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { QUEUE, type State, type StateEntry, type StateKey, StateWriteFailure } from '../state/state.ts';
import { type OutboxEntry, packEntry, unpackEntry } from './outbox-entry.ts';
import { type PushedSample, pushed } from './pushed-sample.ts';
import { selectionOf } from './receiver-selection.ts';

/** Why samples left an outbox without having been sent. */
export type DropReason = 'outbox_full' | 'outbox_age' | 'receiver_removed' | 'damaged';

/** What is known of an entry without reading it. */
export interface QueuedEntry {
  readonly key: StateKey;
  readonly source: string;
  readonly queuedAt: number;
  readonly bytes: number;
  readonly samples: number;
}

/** Samples that may go out in one request: no two of one series. */
export interface Batch {
  readonly entries: readonly QueuedEntry[];
  readonly samples: readonly PushedSample[];
}

export interface ReceiverQueueOptions {
  readonly receiver: Pick<Receiver, 'name' | 'families' | 'accounts' | 'outbox'>;
  readonly state: State;
  readonly clock: Clock;
  readonly onDropped: (reason: DropReason, samples: number) => void;
  readonly onAdded: () => void;
}

/** So many entries are looked through for those that may go out together. */
const LOOKAHEAD = 1_000;

/** And no more of them than have so many bytes together. */
const READ_BYTES = 4 * 2 ** 20;

/** More samples than this are not kept in one entry, since an entry is sent whole. */
const ENTRY_SAMPLES = 2_000;

/** How long (ms) to wait before a disk that refused is asked again. */
const RETRY_MS = 10_000;

/** What waits for one receiver: the entries on disk, and in memory what must be known of each. */
export class ReceiverQueue {
  readonly #options: ReceiverQueueOptions;
  readonly #wants: (sample: TimedSample) => boolean;
  /** In the order of their keys. */
  #waiting = new Map<string, QueuedEntry>();
  /** The first entries as read from disk. */
  readonly #read = new Map<string, OutboxEntry>();
  #sending = new Set<string>();
  #bytes = 0;
  #samples = 0;

  constructor(options: ReceiverQueueOptions) {
    this.#options = options;
    this.#wants = selectionOf(options.receiver);
  }

  get samples(): number {
    return this.#samples;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Since when (ms since the epoch) the oldest has waited; undefined where none does. */
  get oldest(): number | undefined {
    for (const { queuedAt } of this.#waiting.values()) return queuedAt;
    return undefined;
  }

  get prefix(): StateKey {
    return [QUEUE, 'push', this.#options.receiver.name];
  }

  /** Takes up what an earlier run left: all entries whose keys come before `end`. */
  async takeUp(end: StateKey): Promise<void> {
    const earlier: QueuedEntry[] = [];
    for (let after: StateKey | undefined; ; ) {
      const found = await this.#options.state.range(this.prefix, {
        limit: LOOKAHEAD,
        ...(after && { after }),
      });
      const left = found.filter(({ key }) => nameOf(key) < nameOf(end));
      for (const { key, value } of left) earlier.push(...(await this.#takeUp(key, value)));
      after = left.at(-1)?.key;
      if (left.length < LOOKAHEAD) break;
    }
    const since = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#bytes = 0;
    this.#samples = 0;
    for (const waiting of [...earlier, ...since]) this.#add(waiting);
    this.#options.onAdded();
  }

  /** The entries that samples of a source make, each under a key of its own. */
  prepare(
    source: string,
    samples: readonly TimedSample[],
    nextKey: (prefix: StateKey) => StateKey,
  ): { readonly waiting: QueuedEntry; readonly entry: StateEntry }[] {
    const wanted = samples.filter(this.#wants);
    const queuedAt = this.#options.clock.wall();
    return byTime(wanted).map((group) => {
      const bytes = packEntry({ source, queuedAt, samples: group.map(pushed) });
      const key = nextKey(this.prefix);
      const waiting = { key, source, queuedAt, bytes: bytes.length, samples: group.length };
      return { waiting, entry: { key, value: bytes } };
    });
  }

  /** Takes in entries that are durable now. */
  admit(entries: readonly QueuedEntry[]): void {
    for (const waiting of entries) this.#add(waiting);
    void this.#keepWithinLimits();
    if (entries.length > 0) this.#options.onAdded();
  }

  /** What is to be sent next: of each source its first entry, up to `most` samples and at least one entry. */
  async next(most: number): Promise<Batch> {
    await this.#keepWithinLimits();
    await this.#readAhead();
    const entries: QueuedEntry[] = [];
    const samples: PushedSample[] = [];
    const sources = new Set<string>();
    for (const [name, { source, samples: own }] of this.#read) {
      const waiting = this.#waiting.get(name);
      if (waiting === undefined || sources.has(source)) continue;
      sources.add(source);
      if (entries.length > 0 && samples.length + own.length > most) continue;
      entries.push(waiting);
      samples.push(...own);
    }
    this.#sending = new Set(entries.map(({ key }) => nameOf(key)));
    return { entries, samples };
  }

  /** Removes what the receiver has, from disk too; a disk that refuses is asked again until it does not, or the signal aborts. */
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
    this.#forget(entries);
    this.#sending = new Set();
  }

  async #takeUp(key: StateKey, value: unknown): Promise<QueuedEntry[]> {
    const entry = unpackEntry(value);
    if (entry !== undefined) return [waitingOf(key, entry, value)];
    this.#options.onDropped('damaged', 1);
    await this.#delete([key]);
    return [];
  }

  async #readAhead(): Promise<void> {
    if (this.#read.size >= Math.min(LOOKAHEAD / 2, this.#waiting.size)) return;
    const limit = this.#readableEntries();
    // Where entries are large, fewer of them are held; those that are held suffice for a request.
    if (this.#read.size > 0 && this.#read.size >= limit / 2) return;
    for (const { key, value } of await this.#options.state.range(this.prefix, { limit })) {
      const name = nameOf(key);
      const entry = this.#waiting.has(name) ? unpackEntry(value) : undefined;
      if (entry !== undefined) this.#read.set(name, entry);
    }
  }

  /** How many of the first entries may be held in memory. */
  #readableEntries(): number {
    let entries = 0;
    let bytes = 0;
    for (const waiting of this.#waiting.values()) {
      if (entries === LOOKAHEAD || (entries > 0 && bytes + waiting.bytes > READ_BYTES)) break;
      entries += 1;
      bytes += waiting.bytes;
    }
    return entries;
  }

  /** The oldest goes first. What is being sent just now stays: it may have arrived. */
  async #keepWithinLimits(): Promise<void> {
    const { receiver, clock, onDropped } = this.#options;
    const { max_bytes, max_age } = receiver.outbox;
    const dropped: QueuedEntry[] = [];
    let bytes = this.#bytes;
    for (const [name, waiting] of this.#waiting) {
      const reason =
        bytes > max_bytes
          ? 'outbox_full'
          : clock.wall() - waiting.queuedAt > max_age
            ? 'outbox_age'
            : undefined;
      if (reason === undefined) break;
      if (this.#sending.has(name)) continue;
      bytes -= waiting.bytes;
      dropped.push(waiting);
      onDropped(reason, waiting.samples);
    }
    if (dropped.length === 0) return;
    this.#forget(dropped);
    await this.#delete(dropped.map(({ key }) => key));
  }

  /** What the disk does not let go of is taken up, and dropped, by a later run. */
  async #delete(keys: readonly StateKey[]): Promise<void> {
    const removals = keys.map((key) => ({ key, value: undefined }));
    await this.#options.state.commit(removals).catch(() => undefined);
  }

  #add(waiting: QueuedEntry): void {
    if (this.#waiting.has(nameOf(waiting.key))) return;
    this.#waiting.set(nameOf(waiting.key), waiting);
    this.#bytes += waiting.bytes;
    this.#samples += waiting.samples;
  }

  #forget(entries: readonly QueuedEntry[]): void {
    for (const { key, bytes, samples } of entries) {
      this.#read.delete(nameOf(key));
      if (!this.#waiting.delete(nameOf(key))) continue;
      this.#bytes -= bytes;
      this.#samples -= samples;
    }
  }
}

function waitingOf(key: StateKey, { source, queuedAt, samples }: OutboxEntry, value: unknown): QueuedEntry {
  const bytes = value instanceof Uint8Array ? value.length : 0;
  return { key, source, queuedAt, bytes, samples: samples.length };
}

function nameOf(key: StateKey): string {
  return key.at(-1) ?? '';
}

/** Samples of one time together, the earliest first. */
function byTime(samples: readonly TimedSample[]): TimedSample[][] {
  const groups = new Map<number, TimedSample[]>();
  for (const sample of samples) {
    const group = groups.get(sample.at) ?? [];
    groups.set(sample.at, group);
    group.push(sample);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .flatMap(([, group]) =>
      Array.from({ length: Math.ceil(group.length / ENTRY_SAMPLES) }, (_, part) =>
        group.slice(part * ENTRY_SAMPLES, (part + 1) * ENTRY_SAMPLES),
      ),
    );
}
