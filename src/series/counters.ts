import { type Decoded, isEmpty } from '../decode/decode.ts';
import { NO_POINTS, type Rejections, reject } from '../decode/points.ts';
import type { Counting, Restatements } from '../poll/result.ts';
import { FINEST_WINDOW_MS, freshWindow, HISTORY_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import {
  coarseBuckets,
  isWhole,
  newestEnd,
  newestStart,
  newestTold,
  reaches,
  startOfBucketAt,
  sumIfWhole,
} from './answer-buckets.ts';
import { answerWidth, doubtAgain, type WidthDoubt } from './answer-width.ts';
import { type CatchUp, nextCatchUp } from './catch-up.ts';
import {
  bucketsIn,
  type CountedBucket,
  type Counter,
  count,
  type MissingSpan,
  noteCoarse,
  noteUnclear,
  type Reading,
} from './counter.ts';
import { restatements } from './restatements.ts';
import { type SeenBuckets, seenAgain } from './seen-buckets.ts';
import { withoutWideRows } from './wide-rows.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** The platform does not fall further behind than this (ms) between one answer and the next. */
const LATEST_MS = 60 * MINUTE_MS;

/** A settle delay (ms) that takes up nearly all of a window. */
const LONG_SETTLE_MS = FINEST_WINDOW_MS - 10 * MINUTE_MS;

/** What the counters keep across restarts. */
export interface CountersRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  /** The width of the buckets seen last (ms). */
  readonly width: number;
  readonly counters: ReadonlyMap<string, Counter>;
}

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

/**
 * The counters of one metric of one target, one for each dimension. `update` computes what an answer changes without
 * changing anything; `apply` makes it so, once the record is durable; `see` learns of the platform what it tells.
 */
export class SeriesCounters {
  #record: CountersRecord | undefined;
  #seen: SeenBuckets | undefined;
  #doubt: WidthDoubt | undefined;
  /** The end of the newest bucket that any answer had; of the future before there was one. */
  #reached = Number.POSITIVE_INFINITY;
  /** The platform's newest bucket as the latest answer that reached the present told it; undefined if it had none. */
  #newest: number | undefined;
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

  /** The oldest watermark: everything before it is counted, skipped or missing in every series. */
  get watermark(): number | undefined {
    return oldest([...this.#counted()].map(({ watermark }) => watermark));
  }

  /** Up to where every bucket is counted or skipped, in every series (ms since the epoch). */
  get countedUntil(): number | undefined {
    return oldest([...this.#counted()].map(({ watermark, missing }) => missing[0]?.from ?? watermark));
  }

  /** The window that brings the newest buckets. */
  freshWindow(now: number, settleDelay: number): Window {
    const lacking = [...this.#counted()].flatMap(({ watermark, missing }) => [
      watermark,
      ...missing.map(({ from }) => from),
    ]);
    const { width = MINUTE_MS } = this.#record ?? {};
    const doubtful = this.#doubt?.answers ?? 0;
    return freshWindow({ now, settleDelay, width, newest: this.#newest, lacking, doubtful });
  }

  /** The next read for what the counters lack and fresh reads do not bring; undefined where there is nothing to be had. */
  nextCatchUp(now: number, settleDelay: number): CatchUp | undefined {
    if (this.#record === undefined || this.#newest === undefined) return undefined;
    const fresh = this.freshWindow(now, settleDelay);
    const settledUntil = Math.min(now, this.#newest) - settleDelay;
    const wanted = [...this.#counted()].flatMap((counter) => beyond(counter, fresh, settledUntil));
    return nextCatchUp(wanted, now, this.#record.width);
  }

  /** The window to read now for what the counters lack; undefined where there is none yet. */
  catchUpWindow(now: number, settleDelay: number): Window | undefined {
    const next = this.nextCatchUp(now, settleDelay);
    return next === undefined || next.at > now ? undefined : next.window;
  }

  /** An answer to a window of an hour or less without the rows that may be wider buckets than its others. */
  sifted(answer: WindowedAnswer): WindowedAnswer {
    const decoded = withoutWideRows(answer.decoded, this.#seen);
    return decoded === answer.decoded ? answer : { ...answer, decoded };
  }

  /** The bucket width of an answer to a window of an hour or less (ms), or undefined where it is in doubt. */
  widthOf(decoded: Decoded): number | undefined {
    return answerWidth(decoded, { known: this.#record?.width, seen: this.#seen, doubt: this.#doubt });
  }

  /** The rows of an answer that cannot be used, by reason: all of them where the width of its buckets is in doubt. */
  rejectedRows(decoded: Decoded): Rejections {
    if (isEmpty(decoded) || this.widthOf(decoded) !== undefined) return decoded.rejected;
    const rejected = new Map(decoded.rejected);
    for (const { timestamps } of decoded.series.values())
      reject(rejected, 'unclear_width', timestamps.length);
    return rejected;
  }

  /** The sum of all counters' buckets in a window, or undefined where the answer lacks any. */
  sumIfWhole(decoded: Decoded, window: Window): number | undefined {
    const names = [...(this.#record?.counters.keys() ?? [])].filter(this.#counts);
    return sumIfWhole(decoded, names, window, this.widthOf(decoded));
  }

  /** What an answer changes; undefined when its width is in doubt, or it holds nothing to begin with. */
  update(answer: WindowedAnswer, settleDelay: number): CounterUpdate | undefined {
    const { decoded } = answer;
    const width = this.widthOf(decoded);
    if (width === undefined) return undefined;
    const reading = this.#reading(answer, width, settleDelay);
    const since = this.#record?.since ?? reading.watermark;
    if (since === undefined) return undefined;
    const counters = new Map(this.#record?.counters);
    const settled: SettledBucket[] = [];
    let skipped = 0;
    let missing = 0;
    for (const [dimension, known] of this.#openCounters(decoded, since)) {
      // A dimension that is not wanted for now is counted on from its watermark when it is wanted again.
      if (!this.#counts(dimension)) continue;
      const counted = count(known, decoded.series.get(dimension) ?? NO_POINTS, reading);
      counters.set(dimension, counted.counter);
      for (const bucket of counted.settled) settled.push({ dimension, ...bucket });
      skipped += counted.skipped;
      for (const span of counted.counter.missing) missing += span.asked > 0 ? bucketsIn(span, width) : 0;
    }
    const record = this.#kept({ since, width, counters });
    return {
      record,
      counted: settled.length,
      skipped,
      restated: this.#restated(answer, width),
      missing,
      settled,
    };
  }

  /** Applies an update after its record has become durable. */
  apply({ record }: CounterUpdate): void {
    this.#record = record;
  }

  /** Takes in what an answer tells of the platform, whether or not what it changes could be made durable. */
  see(answer: WindowedAnswer, width: number): void {
    if (answer.decoded.width === width) this.#doubt = undefined;
    this.#reached = this.reached(answer, width) ?? this.#reached;
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
    if (this.widthOf(decoded) === undefined) this.#doubt = doubtAgain(this.#doubt, decoded, now);
    if (this.#record === undefined || reaches(answer)) return;
    const counters = new Map(this.#record.counters);
    for (const [name, counter] of counters) {
      if (this.#counts(name)) counters.set(name, noteUnclear(counter, window, now));
    }
    this.#record = { ...this.#record, counters };
  }

  /** Takes in a coarse read: it counts nothing, but shows where the platform has nothing to be waited for. */
  noteCoarse(answer: WindowedAnswer): void {
    if (this.#record === undefined) return;
    const { window, now } = answer;
    const shown = coarseBuckets(answer);
    const counters = new Map(this.#record.counters);
    for (const [dimension, counter] of counters) {
      if (!this.#counts(dimension)) continue;
      counters.set(dimension, noteCoarse(counter, shown(dimension), window, now));
    }
    this.#record = { ...this.#record, counters };
  }

  *#counted(): Generator<Counter> {
    for (const [name, counter] of this.#record?.counters ?? []) if (this.#counts(name)) yield counter;
  }

  #reading(answer: WindowedAnswer, width: number, settleDelay: number): Reading {
    const { decoded, window, now } = answer;
    const told = newestTold(answer);
    const newest =
      (reaches(answer) ? told : this.#newestProven(answer, width, settleDelay)) ?? Number.NEGATIVE_INFINITY;
    // A bucket of the future was told before the platform's clock was set back: it tells no more.
    const settledUntil =
      told === undefined && newest > now ? Number.NEGATIVE_INFINITY : Math.min(now, newest) - settleDelay;
    return {
      window,
      now,
      width,
      settledUntil,
      watermark: told === undefined ? undefined : startOfBucketAt(settledUntil, width, decoded),
      forgottenUntil: settledUntil - HISTORY_MS,
      whole: isWhole(decoded, width),
    };
  }

  /**
   * How far the platform has come as far as an answer of the past proves: it may have fallen behind since the latest
   * that reached the present, and then even what it had before is incomplete again.
   */
  #newestProven({ decoded, window, now }: WindowedAnswer, width: number, settleDelay: number) {
    const shown = newestStart(decoded);
    if (this.#newest === undefined || shown === Number.NEGATIVE_INFINITY) return this.#newest;
    // After so long a delay no window holds both what has settled and the rows that prove it.
    const reachesEnd = settleDelay >= LONG_SETTLE_MS && shown + width >= window.to;
    return reachesEnd || window.to <= now - LATEST_MS ? this.#newest : Math.min(this.#newest, shown);
  }

  /**
   * How far the platform has come (platform ms): the end of its newest bucket, of this answer or one before. Buckets
   * fill up by this time, not by the clock: while it stands still, so do they.
   */
  reached(answer: WindowedAnswer, width: number): number | undefined {
    const newest = newestEnd(answer, width);
    // What an answer before had ends in the future where the platform's clock was set back.
    const before = this.#reached <= answer.now ? this.#reached : undefined;
    return newest === undefined || before === undefined ? (newest ?? before) : Math.max(newest, before);
  }

  /** The counters, with new ones for the dimensions that were not met before: they lack what the others have never read. */
  #openCounters(decoded: Decoded, since: number): ReadonlyMap<string, Counter> {
    const counters = new Map(this.#record?.counters);
    const [first] = this.#counted();
    const watermark = this.watermark ?? since;
    const missing = (first?.missing ?? []).filter(({ asked, to }) => asked === 0 && to <= watermark);
    for (const name of decoded.series.keys()) {
      if (this.#counts(name) && !counters.has(name)) counters.set(name, { total: 0, watermark, missing });
    }
    return counters;
  }

  /** The record as it was where nothing has changed: it need not be written again. */
  #kept(record: CountersRecord): CountersRecord {
    const before = this.#record;
    if (before === undefined || before.width !== record.width) return record;
    if (before.counters.size !== record.counters.size) return record;
    for (const [name, counter] of record.counters) if (before.counters.get(name) !== counter) return record;
    return before;
  }

  #restated({ decoded, now }: WindowedAnswer, width: number): Restatements[] {
    const seen = this.#seen;
    if (seen === undefined) return [];
    return [...decoded.series].map(([name, points]) => {
      const counter = this.#record?.counters.get(name);
      const before = { points: seen.series.get(name) ?? NO_POINTS, width: seen.width };
      return restatements(before, { points, width }, (time) => hasCounted(counter, time), now);
    });
  }
}

/** What of a counter's missing time has settled and is not about to be brought by fresh reads. */
function beyond({ watermark, missing }: Counter, fresh: Window, settledUntil: number): MissingSpan[] {
  let end = watermark;
  let last = missing.length;
  // A series that has ended lacks all up to its watermark: fresh reads are enough to see that it stays so.
  for (
    ;
    last > 0 && missing[last - 1]?.to === end && Number(missing[last - 1]?.from) >= fresh.from;
    last -= 1
  ) {
    end = Number(missing[last - 1]?.from);
  }
  return missing.slice(0, last).filter(({ from }) => from < settledUntil);
}

function hasCounted(counter: Counter | undefined, { from, to }: Window): boolean {
  if (counter === undefined || to > counter.watermark) return false;
  return !counter.missing.some((span) => span.from < to && span.to > from);
}

function oldest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}
