import type { JobSubject } from '../schedule/job.ts';
import type { Delays } from '../settling/delays.ts';
import { GrowthWatch } from '../settling/growth-watch.ts';
import { isOverview } from '../settling/window.ts';
import { type State, type StateKey, StateWriteFailure } from '../state/state.ts';
import { type BookRecord, type Entry, SeriesBook } from './book.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Ledger } from './ledger.ts';
import { restoreBook, storeBook } from './state.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** Told of what an answer brought, to be measured. */
export interface SeriesObserver {
  entered(account: string, subject: JobSubject, entry: Entry, answer: WindowedAnswer): void;
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
  readonly publish: (ledgers: ReadonlyMap<string, Ledger>) => void;
}

/** Keeps the book of one metric of one target: what an answer changes is durable before it is shown. */
export class Bookkeeper {
  readonly book: SeriesBook;
  readonly #options: BookkeeperOptions;
  readonly checkpoints = new Checkpoints();
  readonly #growth: GrowthWatch;
  /** Answers are entered one after another: a fresh read and a catch-up may come back at the same time. */
  #entering: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: BookkeeperOptions) {
    this.#options = options;
    this.book = new SeriesBook(options.counts, restoreBook(options.state.get(options.key)));
    this.#growth = new GrowthWatch(options.delays.completeness);
  }

  /** Resolves when an answer is entered, or the state has refused it. */
  enter(answer: WindowedAnswer): Promise<void> {
    const entering = this.#entering.then(() => this.#enter(answer));
    this.#entering = entering.catch(() => undefined);
    return entering;
  }

  /** Enters nothing any more: another keeper may have taken over the same book. */
  close(): void {
    this.#closed = true;
  }

  async #enter(answer: WindowedAnswer): Promise<void> {
    if (this.#closed) return;
    if (isOverview(answer.window)) return this.book.oversee(answer);
    const { account, subject, delays, observer, publish } = this.#options;
    const { now, decoded } = answer;
    const entry = this.book.draft(answer, delays.settle(now));
    if (entry === undefined) return;
    if (this.#changes(entry) && !(await this.#commit(entry.record))) return publishKnown(this.book, publish);
    this.book.enter(entry, answer);
    this.checkpoints.note(this.#counted(entry.record.ledgers));
    this.#growth.observe(decoded.series, entry.record.width, now, delays.horizon(now));
    delays.bound.observe(
      entry.restated.flatMap(({ ages }) => ages),
      entry.counted,
      now,
    );
    observer.entered(account, subject, entry, answer);
    publish(entry.record.ledgers);
  }

  #counted(ledgers: ReadonlyMap<string, Ledger>): ReadonlyMap<string, Ledger> {
    return new Map([...ledgers].filter(([dimension]) => this.#options.counts(dimension)));
  }

  /** Where no counter began and nothing was counted, the stored book is as good as the new one. */
  #changes({ record, counted, givenUp }: Entry): boolean {
    const begins = record.ledgers.size > (this.book.record?.ledgers.size ?? 0);
    return begins || counted + givenUp > 0;
  }

  async #commit(record: BookRecord): Promise<boolean> {
    const { account, subject, key, state, observer } = this.#options;
    try {
      await state.commit([{ key, value: storeBook(record) }]);
      return true;
    } catch (error) {
      if (!(error instanceof StateWriteFailure)) throw error;
      observer.stateRefused(account, subject, error);
      return false;
    }
  }
}

/** The answer was good even if it could not be kept: what was counted before is still fresh. */
function publishKnown({ record }: SeriesBook, publish: BookkeeperOptions['publish']): void {
  if (record !== undefined) publish(record.ledgers);
}
