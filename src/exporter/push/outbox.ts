import { createHash } from 'node:crypto';
import type { TimedSample } from '../catalogue/family.ts';
import { type Clock, unlessAborted } from '../clock.ts';
import type { Receiver } from '../configuration/push-settings.ts';
import type { State, StateEntry, StateKey } from '../state/state.ts';
import { headOf } from './outbox-entry.ts';
import { pagesOf, QUEUES, type ReceiverQueue } from './receiver-queue.ts';

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
  /** Backlogs are taken up, renamed and removed one after another: what one of these finds is no other's any more. */
  #turn: Promise<unknown> = Promise.resolve();

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
    const committing = this.#commit(found);
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
    const address = receivers.get(queue.name);
    return async (signal) => {
      await this.#available(signal);
      if (this.#addressAt(queue.name) !== address)
        await this.#state.commit([{ key: [...ADDRESS_KEY, queue.name], value: address }]);
      await this.#inTurn(signal, async () => {
        // After a fault of its own it begins again with what it has.
        if (queue.isTakenUp) return;
        for (const name of this.#formerNames(receivers))
          if (this.#addressAt(name) === address) await this.#clear(name, { to: queue.name });
        await queue.takeUp(nameOf(this.#currentRun(), madeBefore));
      });
    };
  }

  /** Removes what waits for receivers other than these, which may change meanwhile. @param removed told of each how many samples */
  async removeOthers(
    receivers: () => Addresses,
    removed: (name: string, samples: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const isOther = (name: string) =>
      !receivers().has(name) && !new Set<unknown>(receivers().values()).has(this.#addressAt(name));
    await this.#available(signal);
    const waiting = await this.#inTurn(signal, () => this.#namesWaiting());
    for (const name of new Set([...waiting, ...this.#formerNames(receivers())])) {
      const removal = { isWanted: () => isOther(name), cleared: (samples: number) => removed(name, samples) };
      await this.#inTurn(signal, () => this.#clear(name, removal));
    }
  }

  async #available(signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
  }

  /** Works alone, with nothing on its way to disk that was prepared before. @throws the signal's reason when it aborts */
  async #inTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(async () => {
      // What is on its way to disk comes under the name of before, or is removed from it.
      await Promise.allSettled(this.#committing);
      signal.throwIfAborted();
      return await work();
    });
    this.#turn = turn.catch(() => undefined);
    return unlessAborted(turn, signal);
  }

  /** Names of receivers for which something waits. */
  async #namesWaiting(): Promise<readonly string[]> {
    const names: string[] = [];
    for (let after = QUEUES; ; ) {
      const [first] = await this.#state.range(QUEUES, { limit: 1, after });
      if (first === undefined) return names;
      const name = first.key[2] ?? '';
      names.push(name);
      // Behind all of its entries, whose names are digits.
      after = [...QUEUES, name, '~'];
    }
  }

  /** Names of receivers that were configured once, and are no more. */
  #formerNames(receivers: Addresses): string[] {
    const names = [...this.#state.keys(ADDRESS_KEY)].map((key) => key.at(-1) ?? '');
    return names.filter((name) => !receivers.has(name));
  }

  #addressAt(name: string): unknown {
    return this.#state.get([...ADDRESS_KEY, name]);
  }

  /** Moves what waits under a name, which keeps its place before all that came later, or removes it, until that is not wanted. */
  async #clear(
    name: string,
    {
      to,
      isWanted = () => true,
      cleared,
    }: {
      readonly to?: string;
      readonly isWanted?: () => boolean;
      readonly cleared?: (samples: number) => void;
    },
  ): Promise<void> {
    for await (const page of pagesOf(this.#state, [...QUEUES, name])) {
      if (!isWanted()) return;
      const moved = page.map(({ key, value }) => ({ key: [...QUEUES, to ?? '', ...key.slice(3)], value }));
      const gone = page.map(({ key }) => ({ key, value: undefined }));
      await this.#state.commit(to === undefined ? gone : [...moved, ...gone]);
      cleared?.(page.reduce((sum, { value }) => sum + (headOf(value)?.samples ?? 1), 0));
    }
    if (isWanted()) await this.#state.commit([{ key: [...ADDRESS_KEY, name], value: undefined }]);
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

/** As text in the order of the numbers. */
function nameOf(run: number, made: number): string {
  return `${String(run).padStart(10, '0')}-${String(made).padStart(14, '0')}`;
}
