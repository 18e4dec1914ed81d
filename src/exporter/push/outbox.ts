import { z } from 'zod';
import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { type Destination, digestOfDestination } from '../configuration/push-settings.ts';
import type { State, StateEntry, StateKey } from '../state/state.ts';
import {
  DestinationQueue,
  inTurns,
  type OnDropped,
  QUEUES,
  type QueuedReceiver,
} from './destination-queue.ts';
import { headOf } from './outbox-entry.ts';
import { entryNameOf, type WaitingEntry } from './waiting-entries.ts';

/** Results of one poll to commit. */
export interface Found {
  readonly entries: readonly StateEntry[];
  /** Samples to push, ordered by time within each series. */
  readonly samples: readonly TimedSample[];
  readonly source: string;
}

export interface OutboxOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly onDropped: OnDropped;
  /** Ends the wait for a state that is not available yet. */
  readonly signal: AbortSignal;
}

/** A receiver with the queue of its destination. */
export interface QueueOf<One> {
  readonly receiver: One;
  readonly queue: DestinationQueue;
}

const RUN_KEY: StateKey = ['push', 'run'];

/** Key of the rows of destinations with a queue, including destinations that are no longer configured. */
const DESTINATIONS: StateKey = ['push', 'destinations'];

const destinationRow = z.object({ name: z.string(), maxAge: z.number() });

/** Age limit (ms) of samples for a destination without a row. */
const DEFAULT_AGE_MS = 86_400_000;

/** Interval (ms) at which an unavailable state is checked again. */
const UNAVAILABLE_MS = 1_000;

/** Number of entries of a backlog read at once. */
const PAGE = 100;

/**
 * Stores samples from the commit of their poll until receivers have accepted them. Each destination has a queue, which survives a
 * renaming of its receiver.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** Queues by destination, including destinations that are no longer configured. */
  readonly #queues = new Map<string, DestinationQueue>();
  /** Rows of destinations in the state, as JSON. */
  readonly #recorded = new Map<string, string>();
  #loading: Promise<void> | undefined;
  #run: number | undefined;
  #isRunStored = false;
  #made = 0;
  /** True once the entries of an earlier run are loaded. */
  isLoaded = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Sets the receivers and returns the queue of each. Queues of other destinations stay until their samples expire. */
  configure<One extends QueuedReceiver & Destination>(receivers: readonly One[]): QueueOf<One>[] {
    for (const queue of this.#queues.values()) queue.receiver = undefined;
    const ids = destinationIds(receivers);
    return receivers.map((receiver, index) => {
      const queue = this.#queueAt(ids[index] ?? '');
      queue.receiver = receiver;
      return { receiver, queue };
    });
  }

  /** Commits the result of a poll as a whole. @throws StateWriteFailure if nothing is durable */
  async commit({ entries, samples, source }: Found): Promise<void> {
    const nextName = () => this.#nextName();
    const prepared = [...this.#queues.values()]
      .map((queue) => ({ queue, made: queue.prepare(source, samples, nextName) }))
      .filter(({ made }) => made.length > 0);
    const queued = prepared.flatMap(({ made }) => made.map(({ entry }) => entry));
    const rows = prepared.flatMap(({ queue }) => this.#newRow(queue));
    const run = queued.length > 0 && !this.#isRunStored ? [{ key: RUN_KEY, value: this.#run }] : [];
    await this.#options.state.commit([...entries, ...queued, ...run, ...rows]);
    if (run.length > 0) this.#isRunStored = true;
    for (const { key, value } of rows) this.#recorded.set(entryNameOf(key), JSON.stringify(value));
    await Promise.all(prepared.map(({ queue, made }) => queue.admit(made.map(({ waiting }) => waiting))));
  }

  /** Loads the entries of an earlier run, once. @throws the state's failure; the next call retries */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Drops expired samples of destinations that are no longer configured. Returns true while such a destination has samples. */
  async expire(): Promise<boolean> {
    const others = [...this.#queues.values()].filter(({ receiver }) => receiver === undefined);
    for (const queue of others) await queue.keepWithinLimits();
    return others.some(({ waiting }) => waiting.samples > 0);
  }

  async #load(): Promise<void> {
    const { state, clock, signal } = this.#options;
    while (state.kind === 'unavailable') await clock.sleep(UNAVAILABLE_MS, signal);
    const ownNames = nameIn(this.#currentRun(), 0);
    const earlier = new Map<string, WaitingEntry[]>();
    for (let after: StateKey | undefined; ; ) {
      const page = await state.range(QUEUES, { limit: PAGE, ...(after && { after }) });
      for await (const { key, value } of inTurns(page)) {
        if (entryNameOf(key) >= ownNames) continue;
        const destinationId = key[QUEUES.length] ?? '';
        const entries = earlier.get(destinationId) ?? [];
        entries.push(this.#waitingEntry(key, value));
        earlier.set(destinationId, entries);
      }
      after = page.at(-1)?.key;
      if (page.length < PAGE) break;
    }
    for (const [destinationId, entries] of earlier) this.#queueAt(destinationId).takeUp(entries);
    this.isLoaded = true;
  }

  /** Returns the metadata of a stored entry. An entry that cannot be decoded stays until it would be sent, and is then dropped. */
  #waitingEntry(key: StateKey, value: unknown): WaitingEntry {
    const { clock } = this.#options;
    const wall = clock.wall();
    const bytes = value instanceof Uint8Array ? value.length : 0;
    const head = headOf(value) ?? { source: entryNameOf(key), queuedAt: wall, samples: 1 };
    // Local time does not continue across runs, so the machine's clock gives the entry's age.
    return { key, ...head, bytes, since: clock.now() - Math.max(0, wall - head.queuedAt) };
  }

  #queueAt(destinationId: string): DestinationQueue {
    const { state, clock, onDropped } = this.#options;
    const known = this.#queues.get(destinationId);
    if (known !== undefined) return known;
    const former = destinationRow.safeParse(state.get([...DESTINATIONS, destinationId])).data;
    if (former !== undefined) this.#recorded.set(destinationId, JSON.stringify(former));
    const made = new DestinationQueue({
      ...{ destinationId, state, clock, onDropped },
      former: former ?? { name: destinationId, maxAge: DEFAULT_AGE_MS },
    });
    this.#queues.set(destinationId, made);
    return made;
  }

  /** Returns the row of a destination if the state lacks it or has another one. */
  #newRow({ destinationId, former }: DestinationQueue): StateEntry[] {
    const isRecorded = this.#recorded.get(destinationId) === JSON.stringify(former);
    return isRecorded ? [] : [{ key: [...DESTINATIONS, destinationId], value: former }];
  }

  #nextName(): string {
    this.#made += 1;
    return nameIn(this.#currentRun(), this.#made);
  }

  /** Returns the number of this run. Entries of a run sort after those of all earlier runs, independent of the clock. */
  #currentRun(): number {
    if (this.#run !== undefined) return this.#run;
    const { state } = this.#options;
    const stored = state.get(RUN_KEY);
    const run = (typeof stored === 'number' ? stored : 0) + 1;
    // The number of earlier runs is unknown until the state is available; until then it refuses commits.
    if (state.kind !== 'unavailable') this.#run = run;
    return run;
  }
}

/** Returns the destination id of each receiver, a digest. Additional receivers at the same destination are numbered. */
export function destinationIds(receivers: readonly Destination[]): string[] {
  const counts = new Map<string, number>();
  return receivers.map((receiver) => {
    const digest = digestOfDestination(receiver);
    const before = counts.get(digest) ?? 0;
    counts.set(digest, before + 1);
    return before === 0 ? digest : `${digest}-${before + 1}`;
  });
}

/** Returns a name that sorts as text in the order of the numbers. */
function nameIn(run: number, made: number): string {
  return `${String(run).padStart(10, '0')}-${String(made).padStart(14, '0')}`;
}
