import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points } from '../decode/points.ts';
import type { Counting, Restatements } from '../poll/result.ts';
import {
  catchUpWindow,
  coarseWindow,
  freshWindow,
  MINUTE_MS,
  type Window,
  type WindowNeeds,
} from '../settling/window.ts';
import { answerWidth, someStart, startOfBucketAt } from './answer-buckets.ts';
import {
  type CountedBucket,
  type Counter,
  oldestWatermark,
  type Posting,
  post,
  type Settlement,
} from './counter.ts';
import { Progress } from './progress.ts';
import { restatements } from './restatements.ts';
import { StraddledBucket } from './straddled-bucket.ts';
import { type Moment, Waiting } from './waiting.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** What the counters keep across restarts. */
export interface CountersRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  readonly width: number;
  readonly counters: ReadonlyMap<string, Counter>;
}

/** A bucket that the counter of a dimension has taken in. */
export interface SettledBucket extends CountedBucket {
  readonly dimension: string;
}

/** What one answer changes. */
export interface CounterUpdate extends Counting {
  readonly record: CountersRecord;
  /** Each bucket taken in. */
  readonly settled: readonly SettledBucket[];
  /** Starts of the settled buckets that the answer lacks, by dimension. */
  readonly missing: ReadonlyMap<string, readonly number[]>;
}

/** How far back the platform's history reaches (the longest duration of section 4.12). */
const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/**
 * The accounts of one metric of one target: a counter for each dimension, and what was seen last, to notice
 * restatements. `update` computes what an answer changes without changing anything; `apply` makes it so, once
 * the record is durable.
 */
export class SeriesCounters {
  #record: CountersRecord | undefined;
  #seen = new Map<string, Points>();
  readonly #waiting = new Waiting();
  readonly #progress = new Progress();
  readonly #straddled = new StraddledBucket();

  readonly #counts: (dimension: string) => boolean;

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

  /** The oldest watermark: everything before it is counted in every series. Undefined where nothing is counted. */
  get watermark(): number | undefined {
    return oldestWatermark(this.#counted());
  }

  /** Up to where every bucket is counted or skipped, in every series (ms since the epoch). */
  get countedUntil(): number | undefined {
    return this.watermark;
  }

  /** The window that brings the newest buckets. */
  freshWindow(now: number, settleDelay: number): Window {
    return freshWindow(this.#needs(now, settleDelay));
  }

  /** The oldest window that the counters lack and fresh windows do not bring. */
  catchUpWindow(now: number, settleDelay: number): Window | undefined {
    const straddled = this.#straddled.windowAt(this.watermark, now - settleDelay);
    return straddled ?? catchUpWindow(this.#needs(now, settleDelay));
  }

  /** The window of a coarse read, which shows what lies beyond a gap; undefined where the counters lack less than a window. */
  coarseWindow(now: number, settleDelay: number): Window | undefined {
    return coarseWindow(this.#needs(now, settleDelay));
  }

  /** The bucket width of an answer, or undefined where neither it nor an earlier one tells. */
  widthOf(decoded: Decoded): number | undefined {
    return answerWidth(decoded, this.#record?.width);
  }

  /** What an answer changes, or undefined when it holds nothing to begin with. */
  update(answer: WindowedAnswer, settleDelay: number): CounterUpdate | undefined {
    const { decoded, window, now } = answer;
    const width = this.widthOf(decoded);
    if (width === undefined) return undefined;
    const newest = this.#progress.newestAsOf(answer);
    const settledUntil = this.#progress.settledUntil(answer, settleDelay, this.#waiting.shownUntil(now));
    const since = this.#record?.since ?? startOfBucketAt(settledUntil, width, decoded);
    const counters = new Map(this.#record?.counters);
    const missing = new Map<string, readonly number[]>();
    const settled: SettledBucket[] = [];
    let skipped = 0;
    for (const [name, known] of this.#openCounters(decoded, since)) {
      // A dimension that is not wanted for now is counted on from its watermark when it is wanted again.
      if (!this.#counts(name)) continue;
      const { counter, forgotten } = withinHistory(known, width, newest);
      const settlement = { window, width, settledUntil };
      const posting = this.#post(name, counter, decoded, settlement, { now, newest });
      counters.set(name, posting.counter);
      missing.set(name, posting.absent);
      settled.push(...posting.settled.map((bucket) => ({ dimension: name, ...bucket })));
      skipped += posting.skipped + forgotten;
    }
    const restated = this.#restated(answer, width);
    return {
      record: { since, width, counters },
      counted: settled.length,
      skipped,
      restated,
      settled,
      missing,
    };
  }

  /** Makes an update the truth, after its record has become durable. */
  apply(update: CounterUpdate, answer: WindowedAnswer): void {
    const { decoded, window } = answer;
    this.#progress.note(answer);
    this.#record = update.record;
    this.#waiting.note(answer, update.record.counters, update.missing);
    const start = someStart(decoded);
    if (this.watermark !== undefined && start !== undefined) {
      this.#straddled.note(window, this.watermark, update.record.width, start);
    }
    if (this.#progress.isNewest(answer)) this.#seen = new Map(decoded.series);
  }

  /** Takes in a coarse read: it counts nothing, but tells what need not be waited for. */
  noteCoarse(coarse: WindowedAnswer): void {
    this.#waiting.noteCoarse(coarse, this.#counted());
  }

  #needs(now: number, settleDelay: number): WindowNeeds {
    return { now, settleDelay, watermark: this.watermark, width: this.#record?.width ?? MINUTE_MS };
  }

  #counted(): ReadonlyMap<string, Counter> {
    return new Map([...(this.#record?.counters ?? [])].filter(([name]) => this.#counts(name)));
  }

  /** The counters, with new ones for the dimensions that were not met before. */
  #openCounters(decoded: Decoded, since: number): ReadonlyMap<string, Counter> {
    const counters = new Map(this.#record?.counters);
    const watermark = this.watermark ?? since;
    for (const name of decoded.series.keys()) {
      if (this.#counts(name) && !counters.has(name)) counters.set(name, { total: 0, watermark });
    }
    return counters;
  }

  #post(
    name: string,
    counter: Counter,
    { series }: Decoded,
    settlement: Settlement,
    moment: Moment,
  ): Posting {
    const { width } = settlement;
    return post(counter, series.get(name) ?? NO_POINTS, settlement, (from) =>
      this.#waiting.exhausted(name, { from, to: from + width }, moment),
    );
  }

  #restated({ decoded, now }: WindowedAnswer, width: number): Restatements[] {
    return [...decoded.series].map(([name, points]) => {
      const counted = this.#record?.counters.get(name)?.watermark ?? Number.NEGATIVE_INFINITY;
      return restatements(this.#seen.get(name) ?? NO_POINTS, points, counted, width, now);
    });
  }
}

/**
 * A counter whose watermark is further back than the platform's history cannot be continued there: it goes on where that
 * begins. Counted from a bucket that the platform has, since a clock gone astray must not cost the past.
 */
function withinHistory(
  counter: Counter,
  width: number,
  newest: number,
): { counter: Counter; forgotten: number } {
  const forgotten = Math.max(0, Math.ceil((newest - HISTORY_MS - counter.watermark) / width));
  return { counter: { total: counter.total, watermark: counter.watermark + forgotten * width }, forgotten };
}
