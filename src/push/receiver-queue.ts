import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { QUEUE, type State, type StateEntry, type StateKey, StateWriteFailure } from '../state/state.ts';
import { type OutboxEntry, packEntry, unpackEntry } from './outbox-entry.ts';
import { type PushedSample, pushed } from './pushed-sample.ts';
import { ReadAhead } from './read-ahead.ts';
import { selectionOf } from './receiver-selection.ts';
import { byTime } from './samples-by-time.ts';
import { type LimitReason, nameOf, WaitingEntries, type WaitingEntry } from './waiting-entries.ts';

/** Why samples left an outbox without having been sent. */
export type DropReason = LimitReason | 'receiver_removed' | 'damaged';

/** Samples that may go out in one request: no two of one series. */
export interface Batch {
  readonly entries: readonly WaitingEntry[];
  readonly samples: readonly PushedSample[];
}

export interface ReceiverQueueOptions {
  readonly receiver: Pick<Receiver, 'name' | 'families' | 'accounts' | 'outbox'>;
  readonly state: State;
  readonly clock: Clock;
  readonly onDropped: (reason: DropReason, samples: number) => void;
  readonly onAdded: () => void;
}

/** So many entries of an earlier run are taken up at once. */
const TAKEN_UP_AT_ONCE = 1_000;

/** How long (ms) to wait before a disk that refused is asked again. */
const RETRY_MS = 10_000;

/** What waits for one receiver: the entries on disk, and in memory what must be known of each. */
export class ReceiverQueue {
  readonly prefix: StateKey;
  readonly #options: ReceiverQueueOptions;
  readonly #wants: (sample: TimedSample) => boolean;
  readonly #waiting = new WaitingEntries();
  readonly #readAhead: ReadAhead;
  #sending: ReadonlySet<string> = new Set();

  constructor(options: ReceiverQueueOptions) {
    const { receiver, state } = options;
    this.prefix = [QUEUE, 'push', receiver.name];
    this.#options = options;
    this.#wants = selectionOf(receiver);
    this.#readAhead = new ReadAhead(state, this.prefix, this.#waiting);
  }

  /** What waits: samples, bytes, and since when the oldest. */
  get waiting(): Pick<WaitingEntries, 'samples' | 'bytes' | 'oldest'> {
    return this.#waiting;
  }

  /** Takes up what an earlier run left: all entries whose keys come before `end`. */
  async takeUp(end: StateKey): Promise<void> {
    const earlier: WaitingEntry[] = [];
    for (let after: StateKey | undefined; ; ) {
      const found = await this.#options.state.range(this.prefix, {
        limit: TAKEN_UP_AT_ONCE,
        ...(after && { after }),
      });
      const left = found.filter(({ key }) => nameOf(key) < nameOf(end));
      for (const { key, value } of left) earlier.push(...(await this.#takeUp(key, value)));
      after = left.at(-1)?.key;
      if (left.length < TAKEN_UP_AT_ONCE) break;
    }
    this.#waiting.addBefore(earlier);
    this.#options.onAdded();
  }

  /** The entries that samples of a source make, each under a key of its own. */
  prepare(
    source: string,
    samples: readonly TimedSample[],
    nextKey: (prefix: StateKey) => StateKey,
  ): { readonly waiting: WaitingEntry; readonly entry: StateEntry }[] {
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
  admit(entries: readonly WaitingEntry[]): void {
    for (const waiting of entries) this.#waiting.add(waiting);
    void this.#keepWithinLimits();
    if (entries.length > 0) this.#options.onAdded();
  }

  /** What is to be sent next: of each source its first entry, up to `most` samples and at least one entry. */
  async next(most: number): Promise<Batch> {
    await this.#keepWithinLimits();
    await this.#readAhead.readOn();
    const entries: WaitingEntry[] = [];
    const samples: PushedSample[] = [];
    const sources = new Set<string>();
    for (const [waiting, { source, samples: own }] of this.#readAhead.entries()) {
      if (sources.has(source)) continue;
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

  async #takeUp(key: StateKey, value: unknown): Promise<WaitingEntry[]> {
    const entry = unpackEntry(value);
    if (entry !== undefined) return [waitingOf(key, entry, value)];
    this.#options.onDropped('damaged', 1);
    await this.#delete([key]);
    return [];
  }

  /** The oldest goes first. What is being sent just now stays: it may have arrived. */
  async #keepWithinLimits(): Promise<void> {
    const { receiver, clock, onDropped } = this.#options;
    const { max_bytes: bytes, max_age: age } = receiver.outbox;
    const dropped = this.#waiting.beyond({ bytes, queuedBefore: clock.wall() - age }, this.#sending);
    if (dropped.length === 0) return;
    for (const { entry, reason } of dropped) onDropped(reason, entry.samples);
    this.#forget(dropped.map(({ entry }) => entry));
    await this.#delete(dropped.map(({ entry: { key } }) => key));
  }

  /** What the disk does not let go of is taken up, and dropped, by a later run. */
  async #delete(keys: readonly StateKey[]): Promise<void> {
    const removals = keys.map((key) => ({ key, value: undefined }));
    await this.#options.state.commit(removals).catch(() => undefined);
  }

  #forget(entries: readonly WaitingEntry[]): void {
    for (const { key } of entries) {
      this.#readAhead.delete(nameOf(key));
      this.#waiting.delete(nameOf(key));
    }
  }
}

function waitingOf(key: StateKey, { source, queuedAt, samples }: OutboxEntry, value: unknown): WaitingEntry {
  const bytes = value instanceof Uint8Array ? value.length : 0;
  return { key, source, queuedAt, bytes, samples: samples.length };
}
