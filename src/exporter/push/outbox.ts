import { createHash } from 'node:crypto';
import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import { QUEUE, type State, type StateEntry, type StateKey } from '../state/state.ts';
import { headOf } from './outbox-entry.ts';
import type { ReceiverQueue } from './receiver-queue.ts';

/** What one poll found. */
export interface Found {
  readonly entries: readonly StateEntry[];
  /** Samples to be pushed; those of one series in the order of their times. */
  readonly samples: readonly TimedSample[];
  readonly source: string;
}

/** Receivers by name, each with a digest of its protocol and address, by which it is known under another name. */
export type Addresses = ReadonlyMap<string, string>;

export function addressOf({ kind, url }: Pick<Receiver, 'kind' | 'url'>): string {
  return createHash('sha256').update(`${kind} ${url}`).digest('hex');
}

const RUN_KEY: StateKey = ['push', 'run'];
const ADDRESS_KEY: StateKey = ['push', 'address'];

/** How often (ms) it is looked whether the state can be used at last. */
const UNAVAILABLE_MS = 1_000;

/** Samples on their way to receivers: durable in the commit of what else a poll found, until the receiver has them. */
export class Outbox {
  readonly #state: State;
  readonly #clock: Clock;
  #queues: readonly ReceiverQueue[] = [];
  #run: number | undefined;
  #isRunStored = false;
  #made = 0;
  readonly #committing = new Set<Promise<void>>();

  constructor(state: State, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Puts samples into these queues from now on. */
  set queues(queues: readonly ReceiverQueue[]) {
    this.#queues = queues;
  }

  /** Makes durable what a poll found, as a whole. @throws StateWriteFailure when nothing of it is */
  async commit(found: Found): Promise<void> {
    await this.#underWay(this.#commit(found));
  }

  async #underWay(committing: Promise<void>): Promise<void> {
    this.#committing.add(committing);
    try {
      await committing;
    } finally {
      this.#committing.delete(committing);
    }
  }

  async #commit({ entries, samples, source }: Found): Promise<void> {
    const nextKey = (prefix: StateKey) => [...prefix, this.#nextName()];
    const prepared = this.#queues.map((queue) => ({ queue, made: queue.prepare(source, samples, nextKey) }));
    const queued = prepared.flatMap(({ made }) => made.map(({ entry }) => entry));
    const run = queued.length > 0 && !this.#isRunStored ? [{ key: RUN_KEY, value: this.#run }] : [];
    await this.#state.commit([...entries, ...queued, ...run]);
    if (run.length > 0) this.#isRunStored = true;
    await Promise.all(prepared.map(({ queue, made }) => queue.admit(made.map(({ waiting }) => waiting))));
  }

  /**
   * What has a new queue take up what lies under its name: of an earlier run, or of the same receiver set up otherwise or
   * named otherwise, which is one that is configured no more and had the same address. It throws when the disk refuses
   * or hangs, and may be called again.
   */
  takingUp(queue: ReceiverQueue, receivers: Addresses): (signal: AbortSignal) => Promise<void> {
    // What comes later is the queue's own: what of it was dropped meanwhile must not come back.
    const madeBefore = this.#made;
    return async (signal) => {
      // After a fault of its own it begins again with what it has.
      if (queue.isTakenUp) return;
      while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
      // What is on its way to disk comes under the name of before, or is removed from it.
      await Promise.allSettled(this.#committing);
      const address = receivers.get(queue.name);
      for (const name of this.#formerNames(receivers)) {
        if (this.#state.get([...ADDRESS_KEY, name]) === address) await this.#rename(name, queue.name);
      }
      const key = [...ADDRESS_KEY, queue.name];
      if (this.#state.get(key) !== address) await this.#state.commit([{ key, value: address }]);
      await queue.takeUp(nameOf(this.#currentRun(), madeBefore));
    };
  }

  /** Removes what waits for receivers other than these, which may change meanwhile; returns how many samples each of them had. */
  async removeOthers(receivers: () => Addresses, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
    const isRenamed = (name: string) =>
      new Set<unknown>(receivers().values()).has(this.#state.get([...ADDRESS_KEY, name]));
    const isWanted = (name: string) => receivers().has(name) || isRenamed(name);
    const removed = new Map<string, number>();
    const prefix = [QUEUE, 'push'];
    for (let after: StateKey | undefined; ; ) {
      const [first] = await this.#state.range(prefix, { limit: 1, ...(after && { after }) });
      if (first === undefined) break;
      const name = first.key[2] ?? '';
      if (isWanted(name)) {
        // Behind all of its entries, whose names are digits.
        after = [...prefix, name, '~'];
        continue;
      }
      const gone = await this.#state.range([...prefix, name], { limit: AT_ONCE });
      // Configured again while it was read: whoever takes it up waits for what is on its way alone.
      if (isWanted(name)) continue;
      await this.#underWay(this.#state.commit(gone.map(({ key }) => ({ key, value: undefined }))));
      const samples = gone.reduce((sum, { value }) => sum + (headOf(value)?.samples ?? 1), 0);
      removed.set(name, (removed.get(name) ?? 0) + samples);
    }
    const gone = this.#formerNames(receivers()).filter((name) => !isRenamed(name));
    if (gone.length > 0)
      await this.#state.commit(gone.map((name) => ({ key: [...ADDRESS_KEY, name], value: undefined })));
    return removed;
  }

  /** Names of receivers that were configured once, and are no more. */
  #formerNames(receivers: Addresses): string[] {
    const names = [...this.#state.keys(ADDRESS_KEY)].map((key) => key.at(-1) ?? '');
    return names.filter((name) => !receivers.has(name));
  }

  /** Moves what waits under a name; it keeps its place before all that came later. */
  async #rename(former: string, name: string): Promise<void> {
    for (;;) {
      const found = await this.#state.range([QUEUE, 'push', former], { limit: AT_ONCE });
      if (found.length === 0) break;
      const moved = found.flatMap(({ key, value }) => [
        { key: [QUEUE, 'push', name, ...key.slice(3)], value },
        { key, value: undefined },
      ]);
      await this.#state.commit(moved);
    }
    await this.#state.commit([{ key: [...ADDRESS_KEY, former], value: undefined }]);
  }

  #nextName(): string {
    this.#made += 1;
    return nameOf(this.#currentRun(), this.#made);
  }

  /** Runs are numbered, so that the entries of this one come after all earlier ones, whatever the clock says. */
  #currentRun(): number {
    if (this.#run !== undefined) return this.#run;
    const stored = this.#state.get(RUN_KEY);
    const run = (typeof stored === 'number' ? stored : 0) + 1;
    // Until the state can be used it is not known which runs there were; and then it refuses commits.
    if (this.#state.kind !== 'unavailable') this.#run = run;
    return run;
  }
}

/** So many entries are moved or removed in one turn of the event loop. */
const AT_ONCE = 100;

/** As text in the order of the numbers. */
function nameOf(run: number, made: number): string {
  return `${String(run).padStart(10, '0')}-${String(made).padStart(14, '0')}`;
}
