import type { Counting, PollResult } from '../poll/result.ts';
import { GrowthWatch } from '../settling/completeness.ts';
import type { Delays } from '../settling/delays.ts';
import { isCoarse } from '../settling/window.ts';
import type { StateKey } from '../state/state.ts';
import { newestEnd } from './answer-buckets.ts';
import type { Counter } from './counter.ts';
import { type CounterUpdate, SeriesCounters } from './counters.ts';
import type { CountersByDimension } from './packed-series.ts';
import type { Checkpoints } from './reconciliation-job.ts';
import type { WindowedAnswer } from './series-reader.ts';
import { type CountersRecord, restoreCounters, storeCounters } from './stored-counters.ts';

export interface CountedSeriesOptions {
  readonly key: StateKey;
  /** What the state holds under the key. */
  readonly stored: () => unknown;
  readonly delays: Delays;
  /** Whether a dimension has a counter. */
  readonly counts: (dimension: string) => boolean;
  /** Where it is noted how far the counters have come; undefined where they are not compared with the platform. */
  readonly checkpoints: Checkpoints | undefined;
}

/** What an answer means for the counters. */
export interface CountedAnswer {
  readonly commit: NonNullable<PollResult['commit']>;
  readonly counting: Counting | undefined;
  /** The counters before it. */
  readonly before: CountersByDimension | undefined;
  /** What it does to the counters; undefined when nothing. */
  readonly update: CounterUpdate | undefined;
  /** Takes in what the answer tells of the platform, and the update if it is durable now. */
  readonly adopt: (committed: boolean) => void;
}

const NOTHING: CountedAnswer = {
  commit: [],
  counting: undefined,
  before: undefined,
  update: undefined,
  adopt: () => undefined,
};

/** The counters of one metric of one target with all that is learned beside them, for every job that reads it. */
export class CountedSeries {
  readonly counters: SeriesCounters;
  readonly key: StateKey;
  readonly #stored: () => unknown;
  readonly #delays: Delays;
  readonly #counts: (dimension: string) => boolean;
  readonly #checkpoints: Checkpoints | undefined;
  readonly #growth: GrowthWatch;

  constructor({ key, stored, delays, counts, checkpoints }: CountedSeriesOptions) {
    this.key = key;
    this.#stored = stored;
    this.#delays = delays;
    this.#counts = counts;
    this.#checkpoints = checkpoints;
    this.counters = new SeriesCounters(counts, restoreCounters(stored()));
    this.#growth = new GrowthWatch(delays.completeness);
  }

  /** The running totals, by dimension; undefined before anything is known of them. */
  get totals(): CountersByDimension | undefined {
    return this.counters.record?.counters;
  }

  /** What an answer means; nothing changes before it is adopted. */
  conclude(answer: WindowedAnswer): CountedAnswer {
    // The state may have become available since: beginning at zero would make the counter jump to its old total later.
    if (this.totals === undefined) this.counters.restore(restoreCounters(this.#stored()));
    if (isCoarse(answer.window)) return { ...NOTHING, adopt: () => this.counters.noteCoarse(answer) };
    const update = this.counters.update(answer, this.#delays.settle(answer.now));
    if (update === undefined) return { ...NOTHING, adopt: () => this.counters.noteUncounted(answer) };
    const { record } = update;
    const commit = record === this.counters.record ? [] : [{ key: this.key, value: storeCounters(record) }];
    return {
      commit,
      counting: update,
      before: this.totals,
      update,
      adopt: (committed) => {
        if (committed) this.#apply(update, answer.now);
        this.#learn(update, answer);
      },
    };
  }

  #apply(update: CounterUpdate, now: number): void {
    this.counters.apply(update);
    this.#checkpoints?.note(this.#counted(update.record));
    this.#delays.bound.observe([], update.counted, now);
  }

  /** What the platform does to its buckets does not depend on whether they could be counted. */
  #learn({ record: { width }, restated }: CounterUpdate, answer: WindowedAnswer): void {
    const { now, decoded } = answer;
    this.counters.see(answer, width);
    const ages = restated.flatMap((changes) => changes.ages);
    const downwards = restated.reduce((sum, changes) => sum + changes.downwards, 0);
    this.#delays.bound.observe(ages, 0, now);
    this.#delays.directions.observe(ages.length - downwards, downwards, now);
    const newest = newestEnd(answer, width);
    if (newest === undefined) return;
    this.#growth.observe(decoded.series, width, newest, this.#delays.horizon(now));
    this.#delays.lag.observe(now - newest, now);
  }

  *#counted({ counters }: CountersRecord): Generator<readonly [string, Counter]> {
    for (const entry of counters) if (this.#counts(entry[0])) yield entry;
  }
}
