import type { TimedSample } from '../catalogue/family.ts';
import { type Clock, unlessAborted } from '../clock.ts';
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

const RUN_KEY: StateKey = ['push', 'run'];
const ADDRESS_KEY: StateKey = ['push', 'address'];

/** How often (ms) it is looked whether the state can be used at last. */
const UNAVAILABLE_MS = 1_000;

/** Samples on their way to receivers: durable in the commit of what else a poll found, until the receiver has them. */
export class Outbox {
  /** Samples are put into these; what waits for receivers that have none of them is moved or removed. */
  queues: readonly ReceiverQueue[] = [];
  readonly #state: State;
  readonly #clock: Clock;
  #run: number | undefined;
  #isRunStored = false;
  #made = 0;
  readonly #committing = new Set<Promise<void>>();
  /** Backlogs are taken up, renamed and removed one after another: what one of these finds is no other's any more. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The name whose address is being removed: what is put in under it meanwhile comes with the address again. */
  #forgetting: string | undefined;

  constructor(state: State, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
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
    const prepared = this.queues
      .map((queue) => ({ queue, made: queue.prepare(source, samples, nextKey) }))
      .filter(({ made }) => made.length > 0);
    const queued = prepared.flatMap(({ queue, made }) => [
      ...made.map(({ entry }) => entry),
      ...this.#unnotedAddress(queue),
    ]);
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
  takingUp(queue: ReceiverQueue): (signal: AbortSignal) => Promise<void> {
    // What comes later is the queue's own: what of it was dropped meanwhile must not come back.
    const madeBefore = this.#made;
    return async (signal) => {
      await this.#available(signal);
      await this.#inTurn(signal, async () => {
        // After a fault of its own it begins again with what it has.
        if (queue.isTakenUp) return;
        await this.#state.commit(this.#unnotedAddress(queue));
        for (const name of this.#notedNames())
          if (name !== queue.name && this.#heirOf(name) === queue) await this.#clear(name, queue);
        await queue.takeUp(nameOf(this.#currentRun(), madeBefore));
      });
    };
  }

  /** Removes what nobody is to send any more. @param removed told of each receiver how many samples */
  async removeOthers(removed: (name: string, samples: number) => void, signal: AbortSignal): Promise<void> {
    await this.#available(signal);
    const waiting = await this.#inTurn(signal, () => this.#namesWaiting());
    for (const name of new Set([...waiting, ...this.#notedNames()]))
      await this.#inTurn(signal, () => this.#clear(name, undefined, (samples) => removed(name, samples)));
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

  /** Names of receivers whose address is noted. */
  #notedNames(): string[] {
    return [...this.#state.keys(ADDRESS_KEY)].map((key) => key.at(-1) ?? '');
  }

  #addressAt(name: string): unknown {
    return name === this.#forgetting ? undefined : this.#state.get([...ADDRESS_KEY, name]);
  }

  /** The address of a queue where it is not noted: it lies beside what waits, which is found by it under another name. */
  #unnotedAddress({ name, address }: ReceiverQueue): StateEntry[] {
    return this.#addressAt(name) === address ? [] : [{ key: [...ADDRESS_KEY, name], value: address }];
  }

  /**
   * Who is to send what waits under a name: the receiver of that name, or else a new one at the address which that had.
   * One that was there already had samples of its own.
   */
  #heirOf(name: string): ReceiverQueue | undefined {
    const address = this.#addressAt(name);
    return (
      this.queues.find((queue) => queue.name === name) ??
      this.queues.find((queue) => queue.address === address && !queue.isTakenUp)
    );
  }

  /** Moves what waits under a name to its heir, where it keeps its place before all that came later, or removes it, as long as that is the heir. */
  async #clear(
    name: string,
    heir: ReceiverQueue | undefined,
    cleared: (samples: number) => void = () => undefined,
  ): Promise<void> {
    for await (const page of pagesOf(this.#state, [...QUEUES, name])) {
      if (this.#heirOf(name) !== heir) return;
      const moved = page.map(({ key, value }) => ({
        key: [...(heir?.prefix ?? []), ...key.slice(3)],
        // What is damaged keeps its place: the heir drops it, and counts it.
        value: value ?? null,
      }));
      const gone = page.map(({ key }) => ({ key, value: undefined }));
      await this.#state.commit(heir === undefined ? gone : [...moved, ...gone]);
      cleared(page.reduce((sum, { value }) => sum + (headOf(value)?.samples ?? 1), 0));
    }
    if (this.#heirOf(name) === heir) await this.#forget(name);
  }

  async #forget(name: string): Promise<void> {
    this.#forgetting = name;
    try {
      await this.#state.commit([{ key: [...ADDRESS_KEY, name], value: undefined }]);
    } finally {
      this.#forgetting = undefined;
    }
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
