import type { TimedSample } from '../catalogue/family.ts';
import { type Clock, unlessAborted } from '../clock.ts';
import type { State, StateEntry, StateKey } from '../state/state.ts';
import { headOf } from './outbox-entry.ts';
import { pagesOf, partsOf, QUEUES, type ReceiverQueue } from './receiver-queue.ts';

/** What one poll found. */
export interface Found {
  readonly entries: readonly StateEntry[];
  /** Samples to be pushed; those of one series in the order of their times. */
  readonly samples: readonly TimedSample[];
  readonly source: string;
}

const RUN_KEY: StateKey = ['push', 'run'];

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
    const queued = prepared.flatMap(({ made }) => made.map(({ entry }) => entry));
    const run = queued.length > 0 && !this.#isRunStored ? [{ key: RUN_KEY, value: this.#run }] : [];
    await this.#state.commit([...entries, ...queued, ...run]);
    if (run.length > 0) this.#isRunStored = true;
    await Promise.all(prepared.map(({ queue, made }) => queue.admit(made.map(({ waiting }) => waiting))));
  }

  /**
   * What has a new queue take up what it is the heir of: what an earlier run left for it, or what waits for one that is
   * configured no more. It throws when the disk refuses or hangs, and may be called again.
   */
  takingUp(queue: ReceiverQueue): (signal: AbortSignal) => Promise<void> {
    // What comes later is the queue's own: what of it was dropped meanwhile must not come back.
    const madeBefore = this.#made;
    return async (signal) => {
      await this.#available(signal);
      await this.#inTurn(signal, async () => {
        // After a fault of its own it begins again with what it has.
        if (queue.isTakenUp) return;
        for (const place of await this.#places())
          if (place !== queue.place && this.#heirOf(place) === queue) await this.#clear(place, queue);
        await queue.takeUp(nameOf(this.#currentRun(), madeBefore));
      });
    };
  }

  /** Removes what nobody is to send any more. @param removed told of each receiver how many samples */
  async removeOthers(removed: (name: string, samples: number) => void, signal: AbortSignal): Promise<void> {
    await this.#available(signal);
    for (const place of await this.#inTurn(signal, () => this.#places())) {
      const { name } = partsOf(place);
      await this.#inTurn(signal, () => this.#clear(place, undefined, (samples) => removed(name, samples)));
    }
  }

  async #available(signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
  }

  /** Works alone, with nothing on its way to disk that was prepared before. @throws the signal's reason when it aborts */
  async #inTurn<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(async () => {
      // What is on its way to disk comes into the place of before, or is removed from it.
      await Promise.allSettled(this.#committing);
      signal.throwIfAborted();
      return await work();
    });
    this.#turn = turn.catch(() => undefined);
    return unlessAborted(turn, signal);
  }

  /** The places where something waits. */
  async #places(): Promise<readonly string[]> {
    const places = new Set<string>();
    for (let after = QUEUES; ; ) {
      const [first] = await this.#state.range(QUEUES, { limit: 1, after });
      if (first === undefined) return [...places];
      const place = first.key[2] ?? '';
      // Behind all of its entries, whose names are digits, but for damaged ones.
      after = places.has(place) ? first.key : [...QUEUES, place, '~'];
      places.add(place);
    }
  }

  /**
   * Who is to send what waits in a place: the receiver whose place it is, else a new one at its address, so that samples arrive
   * where they were to, else a new one of its name. One that was there already had samples of its own.
   */
  #heirOf(place: string): ReceiverQueue | undefined {
    const { name, address } = partsOf(place);
    const fresh = this.queues.filter(({ isTakenUp }) => !isTakenUp);
    return (
      this.queues.find((queue) => queue.place === place) ??
      fresh.find((queue) => queue.address === address) ??
      fresh.find((queue) => queue.name === name)
    );
  }

  /** Moves what waits in a place to its heir, in the order in which it came, or removes it, as long as that is the heir. */
  async #clear(
    place: string,
    heir: ReceiverQueue | undefined,
    cleared: (samples: number) => void = () => undefined,
  ): Promise<void> {
    for await (const page of pagesOf(this.#state, [...QUEUES, place])) {
      if (this.#heirOf(place) !== heir) return;
      const moved = page.map(({ key, value }) => ({
        key: [...(heir?.prefix ?? []), ...key.slice(3)],
        // What is damaged keeps its place: the heir drops it, and counts it.
        value: value ?? null,
      }));
      const gone = page.map(({ key }) => ({ key, value: undefined }));
      await this.#state.commit(heir === undefined ? gone : [...moved, ...gone]);
      cleared(page.reduce((sum, { value }) => sum + (headOf(value)?.samples ?? 1), 0));
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
