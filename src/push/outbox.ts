import type { TimedSample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { QUEUE, type State, type StateEntry, type StateKey } from '../state/state.ts';
import { unpackEntry } from './outbox-entry.ts';
import type { ReceiverQueue } from './receiver-queue.ts';

/** What one poll found. */
export interface Found {
  readonly entries: readonly StateEntry[];
  /** Samples to be pushed; those of one series in the order of their times. */
  readonly samples: readonly TimedSample[];
  /** Whose samples they are. */
  readonly source: string;
}

const RUN_KEY: StateKey = ['push', 'run'];

/** How often (ms) it is looked whether the state can be used at last. */
const UNAVAILABLE_MS = 1_000;

/**
 * Samples on their way to receivers. They become durable in the same commit as what else the poll found, so that no
 * crash can separate a counter from what is sent of it, and stay until the receiver has them.
 */
export class Outbox {
  readonly #state: State;
  readonly #clock: Clock;
  #queues: readonly ReceiverQueue[] = [];
  #run: number | undefined;
  #isRunStored = false;
  #made = 0;
  /** Commits under way. */
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
  async commit({ entries, samples, source }: Found): Promise<void> {
    const nextKey = (prefix: StateKey) => [...prefix, this.#nextName()];
    const prepared = this.#queues.map((queue) => ({ queue, made: queue.prepare(source, samples, nextKey) }));
    const queued = prepared.flatMap(({ made }) => made.map(({ entry }) => entry));
    const run = queued.length > 0 && !this.#isRunStored ? [{ key: RUN_KEY, value: this.#run }] : [];
    await this.#commit([...entries, ...queued, ...run]);
    if (run.length > 0) this.#isRunStored = true;
    for (const { queue, made } of prepared) queue.admit(made.map(({ waiting }) => waiting));
  }

  /** Has a queue take up what lies under its name: of an earlier run, or of the same receiver set up otherwise. */
  async takeUp(queue: ReceiverQueue, signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
    const end = this.#nextName();
    await Promise.allSettled(this.#committing);
    await queue.takeUp([...queue.prefix, end]);
  }

  /** Removes what waits for receivers of other names than these; tells how many samples each of them had. */
  async removeOthers(names: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    while (this.#state.kind === 'unavailable') await this.#clock.sleep(UNAVAILABLE_MS, signal);
    const removed = new Map<string, number>();
    const prefix = [QUEUE, 'push'];
    for (let after: StateKey | undefined; ; ) {
      const found = await this.#state.range(prefix, { limit: REMOVED_AT_ONCE, ...(after && { after }) });
      const [name] = found.map(({ key }) => key[2] ?? '');
      if (name === undefined) return removed;
      if (names.has(name)) {
        // Behind all of its entries, whose names are digits.
        after = [...prefix, name, '~'];
        continue;
      }
      const gone = found.filter(({ key }) => key[2] === name);
      await this.#state.commit(gone.map(({ key }) => ({ key, value: undefined })));
      const samples = gone.reduce((sum, { value }) => sum + (unpackEntry(value)?.samples.length ?? 1), 0);
      removed.set(name, (removed.get(name) ?? 0) + samples);
    }
  }

  async #commit(entries: readonly StateEntry[]): Promise<void> {
    const committing = this.#state.commit(entries);
    this.#committing.add(committing);
    try {
      await committing;
    } finally {
      this.#committing.delete(committing);
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

const REMOVED_AT_ONCE = 1_000;

/** As text in the order of the numbers. */
function nameOf(run: number, made: number): string {
  return `${String(run).padStart(10, '0')}-${String(made).padStart(14, '0')}`;
}
