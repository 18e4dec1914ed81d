import type { JobSubject } from '../schedule/job.ts';
import type { Delays } from '../settling/delays.ts';
import { GrowthWatch } from '../settling/growth-watch.ts';
import { isCoarse } from '../settling/window.ts';
import { type State, type StateKey, StateWriteFailure } from '../state/state.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Counter } from './counter.ts';
import { type CountersRecord, type CounterUpdate, SeriesCounters } from './counters.ts';
import { restoreCounters, storeCounters } from './stored-counters.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** Told of what an answer brought, to be measured. */
export interface SeriesObserver {
  entered(account: string, subject: JobSubject, update: CounterUpdate, answer: WindowedAnswer): void;
  unknownDimensions(account: string, subject: JobSubject, dimensions: readonly string[]): void;
  /** The state refused a commit: the counters stay as they were, and the buckets are counted later. */
  stateRefused(account: string, subject: JobSubject, failure: StateWriteFailure): void;
}

export interface BookkeeperOptions {
  readonly account: string;
  readonly subject: JobSubject;
  readonly key: StateKey;
  readonly state: State;
  readonly delays: Delays;
  readonly observer: SeriesObserver;
  /** Whether a dimension has a counter. */
  readonly counts: (dimension: string) => boolean;
  /** Shows the counters. */
  readonly publish: (counters: ReadonlyMap<string, Counter>) => void;
}

/** Keeps the counters of one metric of one target: what an answer changes is durable before it is shown. */
export class Bookkeeper {
  readonly counters: SeriesCounters;
  readonly #options: BookkeeperOptions;
  readonly checkpoints = new Checkpoints();
  readonly #growth: GrowthWatch;
  /** Answers are entered one after another: a fresh read and a catch-up may come back at the same time. */
  #entering: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: BookkeeperOptions) {
    this.#options = options;
    this.counters = new SeriesCounters(options.counts, restoreCounters(options.state.get(options.key)));
    this.#growth = new GrowthWatch(options.delays.completeness);
  }

  /** Resolves when an answer is entered, or the state has refused it. */
  enter(answer: WindowedAnswer): Promise<void> {
    const entering = this.#entering.then(() => this.#enter(answer));
    this.#entering = entering.catch(() => undefined);
    return entering;
  }

  /** Enters nothing any more: another keeper may have taken over the same counters. */
  close(): void {
    this.#closed = true;
  }

  async #enter(answer: WindowedAnswer): Promise<void> {
    if (this.#closed) return;
    if (isCoarse(answer.window)) return this.counters.noteCoarse(answer);
    const { account, subject, delays, observer, publish } = this.#options;
    const { now, decoded } = answer;
    const update = this.counters.update(answer, delays.settle(now));
    if (update === undefined) return;
    if (this.#changes(update) && !(await this.#commit(update.record)))
      return publishKnown(this.counters, publish);
    this.counters.apply(update, answer);
    this.checkpoints.note(this.#counted(update.record.counters));
    this.#growth.observe(decoded.series, update.record.width, now, delays.horizon(now));
    delays.bound.observe(
      update.restated.flatMap(({ ages }) => ages),
      update.counted,
      now,
    );
    observer.entered(account, subject, update, answer);
    publish(update.record.counters);
  }

  #counted(counters: ReadonlyMap<string, Counter>): ReadonlyMap<string, Counter> {
    return new Map([...counters].filter(([dimension]) => this.#options.counts(dimension)));
  }

  /** Where no counter began and nothing was counted, the stored record is as good as the new one. */
  #changes({ record, counted, skipped }: CounterUpdate): boolean {
    const begins = record.counters.size > (this.counters.record?.counters.size ?? 0);
    return begins || counted + skipped > 0;
  }

  async #commit(record: CountersRecord): Promise<boolean> {
    const { account, subject, key, state, observer } = this.#options;
    try {
      await state.commit([{ key, value: storeCounters(record) }]);
      return true;
    } catch (error) {
      if (!(error instanceof StateWriteFailure)) throw error;
      observer.stateRefused(account, subject, error);
      return false;
    }
  }
}

/** The answer was good even if it could not be kept: what was counted before is still fresh. */
function publishKnown({ record }: SeriesCounters, publish: BookkeeperOptions['publish']): void {
  if (record !== undefined) publish(record.counters);
}
