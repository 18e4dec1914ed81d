import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { type Destination, digestOfDestination, type Receiver } from '../configuration/push-settings.ts';
import { groupedBy } from '../grouped-by.ts';
import { othersHaveGoneOn } from '../slices.ts';
import { QUEUE, type State, type StateEntry, type StateKey, StateWriteFailure } from '../state/state.ts';
import { EntryShapes, headOf, packEntry, unpackEntry } from './outbox-entry.ts';
import { type PushedSample, pushed, selectionOf } from './protocol.ts';

/** Why samples left an outbox without having been sent. */
export const DROP_REASONS = ['outbox_full', 'outbox_age', 'receiver_removed', 'damaged'] as const;

export type DropReason = (typeof DROP_REASONS)[number];

/** Samples that may go out in one request: no two of one series. */
export interface Batch {
  readonly entries: readonly WaitingEntry[];
  readonly samples: readonly PushedSample[];
}

interface ReceiverQueueOptions {
  readonly receiver: Pick<Receiver, 'name' | 'families' | 'accounts' | 'outbox'> & Destination;
  readonly state: State;
  readonly clock: Clock;
  readonly onDropped: (reason: DropReason, samples: number) => void;
  readonly onAdded: () => void;
  /** The most bytes of entries that are read ahead; one entry is in any case. */
  readonly readBytes?: number | undefined;
}

/** Where what waits lies: below it by the receivers' places, in the order in which it came. */
export const QUEUES: StateKey = [QUEUE, 'push'];

/** Whose place it is; earlier versions named it without an address. */
export function partsOf(place: string): { readonly name: string; readonly address: string | undefined } {
  const [, name = place, address] = /^(.*) ([\da-f]{16})$/.exec(place) ?? [];
  return { name, address };
}

/** So many entries of a backlog are read, moved or removed at once. */
const PAGE = 100;

/** What lies under a prefix now, in its order and in pages; each may be removed before the next is read. */
export async function* pagesOf(state: State, prefix: StateKey): AsyncGenerator<readonly StateEntry[], void> {
  for (let after: StateKey | undefined; ; ) {
    const page = await state.range(prefix, { limit: PAGE, ...(after && { after }) });
    after = page.at(-1)?.key;
    if (after === undefined) return;
    yield page;
  }
}

/** How long (ms) to wait before a disk that refused is asked again. */
const RETRY_MS = 10_000;

/** So many entries are looked through for those that may go out together. */
const LOOKAHEAD = 1_000;

/** The most bytes that they may have together, unless it is said otherwise. */
const READ_BYTES = 4 * 2 ** 20;

/** What waits for one receiver: the entries on disk, and in memory what must be known of each. */
export class ReceiverQueue {
  /** A digest of where its samples arrive, by which the receiver is known under another name. */
  readonly address: string;
  /** Its name and address: when either changes, what waits moves. */
  readonly place: string;
  readonly prefix: StateKey;
  /** Whether it is known what an earlier run left, and so how much waits. */
  isTakenUp = false;
  readonly #options: ReceiverQueueOptions;
  readonly #wants: (sample: TimedSample) => boolean;
  readonly #waiting = new WaitingEntries();
  /** The first entries that wait, as read from disk, in the order of their keys, without gaps. */
  readonly #read = new Map<string, ReadEntry>();
  readonly #shapes = new EntryShapes();
  #sending: ReadonlySet<string> = new Set();

  constructor(options: ReceiverQueueOptions) {
    const { receiver } = options;
    this.address = digestOfDestination(receiver);
    this.place = `${receiver.name} ${this.address}`;
    this.prefix = [...QUEUES, this.place];
    this.#options = options;
    this.#wants = selectionOf(receiver);
  }

  get name(): string {
    return this.#options.receiver.name;
  }

  /** What waits: samples, bytes, and since when the oldest. */
  get waiting(): Readonly<Pick<WaitingEntries, 'samples' | 'bytes' | 'oldest'>> {
    return this.#waiting;
  }

  /** Takes up what an earlier run left: all entries up to the one of this name. */
  async takeUp(last: string): Promise<void> {
    const { state, clock } = this.#options;
    const earlier: WaitingEntry[] = [];
    const [wall, now] = [clock.wall(), clock.now()];
    for await (const page of pagesOf(state, this.prefix)) {
      // What is damaged may have any name.
      const left = page.filter(({ key, value }) => !(value instanceof Uint8Array) || nameOf(key) <= last);
      for await (const { key, value } of inTurns(left)) {
        const bytes = value instanceof Uint8Array ? value.length : 0;
        // What cannot be read is found again, and dropped, where it would be sent: nothing of it waits for others.
        const head = headOf(value) ?? { source: nameOf(key), queuedAt: wall, samples: 1 };
        // How long it has waited since another run put it in is known by the machine's clock alone.
        earlier.push({ key, ...head, bytes, since: now - Math.max(0, wall - head.queuedAt) });
      }
      if (left.length < page.length) break;
    }
    this.#waiting.addBefore(earlier);
    this.isTakenUp = true;
    this.#options.onAdded();
  }

  /** The entries that samples of a source make, each under a key of its own. */
  prepare(
    source: string,
    samples: readonly TimedSample[],
    nextKey: (prefix: StateKey) => StateKey,
  ): { readonly waiting: WaitingEntry; readonly entry: StateEntry }[] {
    const wanted = samples.filter(this.#wants);
    const { clock } = this.#options;
    const [queuedAt, since] = [clock.wall(), clock.now()];
    return byTime(wanted).map((group) => {
      const bytes = packEntry({ source, queuedAt, samples: group.map(pushed) });
      const key = nextKey(this.prefix);
      const waiting = { key, source, queuedAt, since, bytes: bytes.length, samples: group.length };
      return { waiting, entry: { key, value: bytes } };
    });
  }

  /** Takes in entries that are durable now. */
  async admit(entries: readonly WaitingEntry[]): Promise<void> {
    for (const waiting of entries) this.#waiting.add(waiting);
    this.#options.onAdded();
    await this.#keepWithinLimits();
  }

  /** What is to be sent next: of each source its first entry, up to `most` samples and at least one entry. */
  async next(most: number): Promise<Batch> {
    this.#sending = new Set();
    await this.#keepWithinLimits();
    await this.#readOn();
    const chosen = this.#firstOfEach(most);
    this.#sending = new Set(chosen.map(([{ key }]) => nameOf(key)));
    const entries: WaitingEntry[] = [];
    const samples: PushedSample[] = [];
    const lost: Dropped[] = [];
    for await (const [waiting, stored] of inTurns(chosen)) {
      const entry = unpackEntry(stored, this.#shapes);
      if (entry === undefined) {
        lost.push({ entry: waiting, reason: 'damaged' });
        continue;
      }
      entries.push(waiting);
      for (const sample of entry.samples) samples.push(sample);
    }
    await this.#drop(lost);
    return { entries, samples };
  }

  #firstOfEach(most: number): ReadEntry[] {
    const chosen: ReadEntry[] = [];
    const sources = new Set<string>();
    let samples = 0;
    for (const read of this.#read.values()) {
      const [waiting] = read;
      if (sources.has(waiting.source)) continue;
      sources.add(waiting.source);
      if (chosen.length > 0 && samples + waiting.samples > most) continue;
      chosen.push(read);
      samples += waiting.samples;
    }
    return chosen;
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
    for (const entry of entries) this.#forget(entry);
  }

  /** Reads on once few entries are left, and while few wait: where those are refused again and again, others have their turn. */
  async #readOn(): Promise<void> {
    const limit = this.#readable();
    if (this.#read.size >= LOOKAHEAD / 2) return;
    // Nothing waits any more that has series in common with what comes.
    if (this.#read.size === 0) this.#shapes.clear();
    const last = [...this.#read.keys()].at(-1) ?? '';
    const names = this.#waiting.names(limit).filter((name) => name > last);
    const missing = new Set(names);
    for await (const { key, value } of this.#stored(last, names)) {
      const name = nameOf(key);
      missing.delete(name);
      // What does not wait is on its way into the queue, or out of it.
      const waiting = this.#waiting.find(name);
      if (waiting === undefined) continue;
      this.#read.set(name, [waiting, value]);
    }
    // A database that has failed over may lack its last commits.
    const lost = [...missing].flatMap((name) => this.#waiting.find(name) ?? []);
    await this.#drop(lost.map((entry) => ({ entry, reason: 'damaged' })));
  }

  /** What lies on disk behind an entry, up to the last of these, with others that lie between. */
  async *#stored(after: string, names: readonly string[]): AsyncGenerator<StateEntry, void> {
    const { state } = this.#options;
    const end = names.at(-1) ?? '';
    for (let reached = after; reached < end; ) {
      const found = await state.range(this.prefix, {
        limit: names.length,
        after: [...this.prefix, reached],
      });
      yield* found;
      reached = found.length < names.length ? end : nameOf(found.at(-1)?.key ?? []);
    }
  }

  /** How many of the first entries may be held in memory: where they are large, fewer. */
  #readable(): number {
    const { readBytes = READ_BYTES } = this.#options;
    let entries = 0;
    let bytes = 0;
    for (const waiting of this.#waiting.values()) {
      if (entries === LOOKAHEAD || (entries > 0 && bytes + waiting.bytes > readBytes)) break;
      entries += 1;
      bytes += waiting.bytes;
    }
    return entries;
  }

  /** The oldest goes first. What is being sent just now stays: it may have arrived. */
  async #keepWithinLimits(): Promise<void> {
    const { receiver, clock } = this.#options;
    const { max_bytes: bytes, max_age: age } = receiver.outbox;
    await this.#drop(this.#waiting.beyond({ bytes, since: clock.now() - age }, this.#sending));
  }

  /** What the disk does not let go of is taken up, and dropped, by a later run. */
  async #drop(dropped: readonly Dropped[]): Promise<void> {
    // What waits no more was dropped, and counted, for another reason meanwhile.
    const gone = dropped.filter(({ entry }) => this.#forget(entry));
    for (const { entry, reason } of gone) this.#options.onDropped(reason, entry.samples);
    const removals = gone.map(({ entry: { key } }) => ({ key, value: undefined }));
    await this.#options.state.commit(removals).catch(() => undefined);
  }

  /** Whether it waited. */
  #forget({ key }: WaitingEntry): boolean {
    this.#read.delete(nameOf(key));
    return this.#waiting.delete(nameOf(key));
  }
}

/** So many entries are looked at in one turn of the event loop. */
const A_TURN = 25;

async function* inTurns<Entry>(entries: readonly Entry[]): AsyncGenerator<Entry, void> {
  for (const [index, entry] of entries.entries()) {
    if (index % A_TURN === A_TURN - 1) await othersHaveGoneOn();
    yield entry;
  }
}

/** More samples than this are not kept in one entry, since an entry is sent whole. */
const ENTRY_SAMPLES = 2_000;

/** Samples of one time together, the earliest first, in parts that are not too large for an entry. */
export function byTime(samples: readonly TimedSample[]): TimedSample[][] {
  return [...groupedBy(samples, ({ at }) => at)]
    .sort(([a], [b]) => a - b)
    .flatMap(([, group]) =>
      Array.from({ length: Math.ceil(group.length / ENTRY_SAMPLES) }, (_, part) =>
        group.slice(part * ENTRY_SAMPLES, (part + 1) * ENTRY_SAMPLES),
      ),
    );
}

/** What is known of an entry of the outbox without reading it. */
interface WaitingEntry {
  readonly key: StateKey;
  readonly source: string;
  /** When it was put in (ms since the epoch): what is shown, and kept on disk. */
  readonly queuedAt: number;
  /** The same by local time (ms), by which it grows old, wherever the machine's clock is set. */
  readonly since: number;
  readonly bytes: number;
  readonly samples: number;
}

/** An entry with what lies on disk behind it. */
type ReadEntry = readonly [WaitingEntry, stored: unknown];

interface Dropped {
  readonly entry: WaitingEntry;
  readonly reason: DropReason;
}

/** The last part of an entry's key, by which entries are ordered. */
function nameOf(key: StateKey): string {
  return key.at(-1) ?? '';
}

/** The entries that wait for one receiver, in the order of their keys, and what they add up to. */
class WaitingEntries {
  readonly #entries = new Map<string, WaitingEntry>();
  bytes = 0;
  samples = 0;

  /** Since when (ms since the epoch) the first has waited; undefined where none does. */
  get oldest(): number | undefined {
    for (const { queuedAt } of this.#entries.values()) return queuedAt;
    return undefined;
  }

  /** The first ones, in their order: there may be a million. */
  names(most: number): string[] {
    const names: string[] = [];
    for (const name of this.#entries.keys()) {
      if (names.length === most) break;
      names.push(name);
    }
    return names;
  }

  find(name: string): WaitingEntry | undefined {
    return this.#entries.get(name);
  }

  values(): Iterable<WaitingEntry> {
    return this.#entries.values();
  }

  /** Adds an entry behind all others. */
  add(entry: WaitingEntry): void {
    this.#entries.set(nameOf(entry.key), entry);
    this.bytes += entry.bytes;
    this.samples += entry.samples;
  }

  /** Adds entries before all others. */
  addBefore(entries: readonly WaitingEntry[]): void {
    const later = [...this.#entries.values()];
    this.#entries.clear();
    this.bytes = 0;
    this.samples = 0;
    for (const entry of [...entries, ...later]) this.add(entry);
  }

  /** Whether there was such an entry. */
  delete(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    this.bytes -= entry.bytes;
    this.samples -= entry.samples;
    return this.#entries.delete(name);
  }

  /** Those that must go for the others to be within the limits: the first ones, but for some that are kept. */
  beyond(limits: { readonly bytes: number; readonly since: number }, kept: ReadonlySet<string>): Dropped[] {
    const found: Dropped[] = [];
    let bytes = this.bytes;
    for (const [name, entry] of this.#entries) {
      const isOld = entry.since < limits.since;
      if (bytes <= limits.bytes && !isOld) break;
      if (kept.has(name)) continue;
      found.push({ entry, reason: bytes > limits.bytes ? 'outbox_full' : 'outbox_age' });
      bytes -= entry.bytes;
    }
    return found;
  }
}
