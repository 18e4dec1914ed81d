import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS } from '../decode/points.ts';
import type { Counting } from '../poll/result.ts';
import { freshWindow, MINUTE_MS, type Window } from '../settling/window.ts';
import { coarseBuckets, newestTold, reachedBy, reaches, readingOf, sumIfWhole } from './answer-buckets.ts';
import { answerWidth, type KnownWidth, type SizedAnswer, sized } from './bucket-width.ts';
import {
  bucketsIn,
  type CountedBucket,
  type Counter,
  count,
  hasCounted,
  type Lacking,
  noteCoarse,
  noteUnclear,
} from './counter.ts';
import { PackedCounters } from './packed-series.ts';
import { restatedIn, type SeenBuckets, seenAgain } from './seen-buckets.ts';
import type { WindowedAnswer } from './series-reader.ts';
import { type CountersRecord, newCounter, type Progress, progressOf } from './stored-counters.ts';
import { doubtAgain, type WidthDoubt } from './width-doubt.ts';

/** A bucket that the counter of a dimension has taken in. */
export interface SettledBucket extends CountedBucket {
  readonly dimension: string;
}

/** What one answer changes. */
export interface CounterUpdate extends Counting {
  /** The same object as before where the answer changes nothing that is kept. */
  readonly record: CountersRecord;
  /** Settled buckets that the platform was asked for and that are waited for. */
  readonly missing: number;
  /** Each bucket taken in. */
  readonly settled: readonly SettledBucket[];
}

/** An answer as far as it can be used. */
export interface UnderstoodAnswer extends SizedAnswer {
  /** How far the platform has come (platform ms); undefined where neither this answer nor one before tells. */
  readonly reached: number | undefined;
}

/**
 * The counters of one metric of one target, one for each dimension. `update` computes what an answer changes without
 * changing anything; `apply` makes it so, once the record is durable; `see` learns of the platform what it tells.
 */
export class SeriesCounters {
  #record: CountersRecord | undefined;
  #seen: SeenBuckets | undefined;
  #doubt: WidthDoubt | undefined;
  /** The end of the newest bucket that any answer had. */
  #reached: number | undefined;
  /** The platform's newest bucket as the latest answer that reached the present told it; undefined if it had none. */
  #newest: number | undefined;
  readonly #counts: (dimension: string) => boolean;
  #progressKnown: Progress | undefined;

  /** @param counts which dimensions have a counter; the others are only watched for restatements */
  constructor(counts: (dimension: string) => boolean, record?: CountersRecord) {
    this.#counts = counts;
    this.#record = record;
  }

  /** Goes on from a record, unless anything was counted before. */
  restore(record: CountersRecord | undefined): void {
    this.#record ??= record;
  }

  get record(): CountersRecord | undefined {
    return this.#record;
  }

  /** The oldest watermark: everything before it is counted, skipped or missing in every series. */
  get watermark(): number | undefined {
    return this.#progress.watermark;
  }

  /** Up to where every bucket is counted or skipped, in every series (ms since the epoch). */
  get countedUntil(): number | undefined {
    return this.#progress.countedUntil;
  }

  /** The window that brings the newest buckets. */
  freshWindow(now: number, settleDelay: number): Window {
    const { lacking } = this.#progress;
    const { width = MINUTE_MS } = this.#record ?? {};
    const doubtful = this.#doubt?.answers ?? 0;
    return freshWindow({ now, settleDelay, width, newest: this.#newest, lacking, doubtful });
  }

  /** What the counters lack that has settled; undefined where they lack nothing, or it cannot be told. */
  lacking(now: number, settleDelay: number): Lacking | undefined {
    if (this.#record === undefined || this.#newest === undefined) return undefined;
    const counters = [...this.#counted()].filter(({ missing }) => missing.length > 0);
    if (counters.length === 0) return undefined;
    const settledUntil = Math.min(now, this.#newest) - settleDelay;
    return { counters, width: this.#record.width, settledUntil };
  }

  /** An answer to a window of an hour or less, as far as it can be used. */
  understood(answered: WindowedAnswer): UnderstoodAnswer {
    const sizedAnswer = sized(answered, this.#knownWidth);
    const { answer, width } = sizedAnswer;
    return {
      ...sizedAnswer,
      reached: width === undefined ? undefined : reachedBy(answer, width, this.#reached),
    };
  }

  /** The sum of all counters' buckets in a window, or undefined where the answer lacks any. */
  sumIfWhole(decoded: Decoded, window: Window): number | undefined {
    const names = [...(this.#record?.counters.keys() ?? [])].filter(this.#counts);
    return sumIfWhole(decoded, names, window, answerWidth(decoded, this.#knownWidth));
  }

  /** What an answer changes; undefined when its width is in doubt, or it holds nothing to begin with. */
  update(answer: WindowedAnswer, settleDelay: number): CounterUpdate | undefined {
    const { decoded } = answer;
    const width = answerWidth(decoded, this.#knownWidth);
    if (width === undefined) return undefined;
    const reading = readingOf(answer, width, { newest: this.#newest, settleDelay });
    const since = this.#record?.since ?? reading.watermark;
    if (since === undefined) return undefined;
    const counters = this.#openCounters(decoded, since);
    const settled: SettledBucket[] = [];
    let skipped = 0;
    let missing = 0;
    let isChanged = this.#record?.width !== width || this.#record.counters.size !== counters.size;
    for (const [dimension, known] of counters) {
      // A dimension that is not wanted for now is counted on from its watermark when it is wanted again.
      if (!this.#counts(dimension)) continue;
      const counted = count(known, decoded.series.get(dimension) ?? NO_POINTS, reading);
      if (counted.counter !== known) {
        counters.set(dimension, counted.counter);
        isChanged = true;
      }
      for (const bucket of counted.settled) settled.push({ dimension, ...bucket });
      skipped += counted.skipped;
      for (const span of counted.counter.missing) missing += span.asked > 0 ? bucketsIn(span, width) : 0;
    }
    const changed = () => ({ since, width, counters: new PackedCounters(counters) });
    const record = isChanged || this.#record === undefined ? changed() : this.#record;
    const isCounted = (dimension: string, time: Window) =>
      hasCounted(this.#record?.counters.get(dimension), time);
    const restated = restatedIn(this.#seen, answer, width, isCounted);
    return { record, counted: settled.length, skipped, restated, missing, settled };
  }

  /** Applies an update after its record has become durable. */
  apply({ record }: CounterUpdate): void {
    this.#record = record;
  }

  /** Takes in what an answer tells of the platform, whether or not what it changes could be made durable. */
  see(answer: WindowedAnswer, width: number): void {
    if (answer.decoded.width === width) this.#doubt = undefined;
    this.#reached = reachedBy(answer, width, this.#reached) ?? this.#reached;
    if (!reaches(answer)) return;
    this.#newest = newestTold(answer);
    if (this.#newest !== undefined) this.#seen = seenAgain(this.#seen, answer.decoded, width);
  }

  /**
   * Takes in an answer that could not be counted: where the width of its buckets is in doubt, others may tell. What it
   * was to bring of the past is asked for again later, by a window that begins at another minute.
   */
  noteUncounted(answer: WindowedAnswer): void {
    const { decoded, window, now } = answer;
    if (answerWidth(decoded, this.#knownWidth) === undefined)
      this.#doubt = doubtAgain(this.#doubt, decoded, now);
    if (!reaches(answer)) this.#note((counter) => noteUnclear(counter, window, now));
  }

  /** Takes in a coarse read: it counts nothing, but shows where the platform has nothing to be waited for. */
  noteCoarse(answer: WindowedAnswer): void {
    const { window, now } = answer;
    const shown = coarseBuckets(answer);
    this.#note((counter, dimension) => noteCoarse(counter, shown(dimension), window, now));
  }

  #note(change: (counter: Counter, dimension: string) => Counter): void {
    if (this.#record === undefined) return;
    const counters = new Map(this.#record.counters);
    for (const [dimension, counter] of counters) {
      if (this.#counts(dimension)) counters.set(dimension, change(counter, dimension));
    }
    this.#record = { ...this.#record, counters: new PackedCounters(counters) };
  }

  get #knownWidth(): KnownWidth {
    return { known: this.#record?.width, seen: this.#seen, doubt: this.#doubt };
  }

  *#counted(): Generator<Counter> {
    for (const [name, counter] of this.#record?.counters ?? []) if (this.#counts(name)) yield counter;
  }

  /** The counters, with new ones for the dimensions that were not met before. */
  #openCounters(decoded: Decoded, since: number): Map<string, Counter> {
    const counters = new Map(this.#record?.counters);
    let opened: Counter | undefined;
    for (const name of decoded.series.keys()) {
      if (counters.has(name) || !this.#counts(name)) continue;
      opened ??= newCounter(this.#counted(), this.watermark ?? since);
      counters.set(name, opened);
    }
    return counters;
  }

  /** Computed once for each record: the status page asks for it as well, of thousands of jobs. */
  get #progress(): Progress {
    if (this.#progressKnown?.of !== this.#record || this.#progressKnown === undefined)
      this.#progressKnown = progressOf(this.#record, this.#counted());
    return this.#progressKnown;
  }
}
