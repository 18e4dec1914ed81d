import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS, type Points } from '../decode/points.ts';
import {
  catchUpWindow,
  freshWindow,
  MINUTE_MS,
  overviewWindow,
  type Window,
  type WindowNeeds,
} from '../settling/window.ts';
import { answerWidth, someStart, startOfBucketAt } from './answer-buckets.ts';
import { type Ledger, oldestMark, type Posting, post, type Settlement } from './ledger.ts';
import { Progress } from './progress.ts';
import { type Restatements, restatements } from './restatements.ts';
import { StraddledBucket } from './straddled-bucket.ts';
import { type Moment, Waiting } from './waiting.ts';
import type { WindowedAnswer } from './windowed-answer.ts';

/** What a book keeps across restarts. */
export interface BookRecord {
  /** From where on the counters count (ms since the epoch). */
  readonly since: number;
  readonly width: number;
  readonly ledgers: ReadonlyMap<string, Ledger>;
}

/** What one answer did to a book. */
export interface Entry {
  readonly record: BookRecord;
  readonly counted: number;
  readonly givenUp: number;
  readonly restated: readonly Restatements[];
  /** Settled buckets that the answer lacks, by dimension. */
  readonly absent: ReadonlyMap<string, readonly number[]>;
}

/** How far back the platform's history reaches (the longest duration of section 4.12). */
const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/**
 * The accounts of one metric of one target: a ledger for each dimension, and what was seen last, to notice
 * restatements. `draft` computes what an answer changes without changing anything; `enter` makes it so, once
 * the record is durable.
 */
export class SeriesBook {
  #record: BookRecord | undefined;
  #seen = new Map<string, Points>();
  readonly #waiting = new Waiting();
  readonly #progress = new Progress();
  readonly #straddled = new StraddledBucket();

  readonly #counts: (dimension: string) => boolean;

  /** @param counts which dimensions have a counter; the others are only watched for restatements */
  constructor(counts: (dimension: string) => boolean, record?: BookRecord) {
    this.#counts = counts;
    this.#record = record;
  }

  get record(): BookRecord | undefined {
    return this.#record;
  }

  /** The oldest mark: everything before it is counted in every series. Undefined where nothing is counted. */
  get mark(): number | undefined {
    return oldestMark(this.#counted());
  }

  /** The window that brings the newest buckets. */
  freshWindow(now: number, settleDelay: number): Window {
    return freshWindow(this.#needs(now, settleDelay));
  }

  /** The oldest window that the counters lack and fresh windows do not bring. */
  catchUpWindow(now: number, settleDelay: number): Window | undefined {
    const straddled = this.#straddled.windowAt(this.mark, now - settleDelay);
    return straddled ?? catchUpWindow(this.#needs(now, settleDelay));
  }

  /** The window of an overview, which shows what lies beyond a gap; undefined where the counters lack less than a window. */
  overviewWindow(now: number, settleDelay: number): Window | undefined {
    return overviewWindow(this.#needs(now, settleDelay));
  }

  /** The bucket width of an answer, or undefined where neither it nor an earlier one tells. */
  widthOf(decoded: Decoded): number | undefined {
    return answerWidth(decoded, this.#record?.width);
  }

  /** What an answer changes, or undefined when it holds nothing to begin with. */
  draft(answer: WindowedAnswer, settleDelay: number): Entry | undefined {
    const { decoded, window, now } = answer;
    const width = this.widthOf(decoded);
    if (width === undefined) return undefined;
    const newest = this.#progress.newestAsOf(answer);
    const settledUntil = this.#progress.settledUntil(answer, settleDelay, this.#waiting.shownUntil(now));
    const since = this.#record?.since ?? startOfBucketAt(settledUntil, width, decoded);
    const ledgers = new Map(this.#record?.ledgers);
    const absent = new Map<string, readonly number[]>();
    let counted = 0;
    let givenUp = 0;
    for (const [name, known] of this.#openLedgers(decoded, since)) {
      // A dimension that is not wanted for now is counted on from its mark when it is wanted again.
      if (!this.#counts(name)) continue;
      const { ledger, forgotten } = withinHistory(known, width, newest);
      const settlement = { window, width, settledUntil };
      const posting = this.#post(name, ledger, decoded, settlement, { now, newest });
      ledgers.set(name, posting.ledger);
      absent.set(name, posting.absent);
      counted += posting.counted;
      givenUp += posting.givenUp + forgotten;
    }
    const restated = this.#restated(answer, width);
    return { record: { since, width, ledgers }, counted, givenUp, restated, absent };
  }

  /** Makes a draft the truth, after its record has become durable. */
  enter(entry: Entry, answer: WindowedAnswer): void {
    const { decoded, window } = answer;
    this.#progress.note(answer);
    this.#record = entry.record;
    this.#waiting.note(answer, entry.record.ledgers, entry.absent);
    const start = someStart(decoded);
    if (this.mark !== undefined && start !== undefined) {
      this.#straddled.note(window, this.mark, entry.record.width, start);
    }
    if (this.#progress.isNewest(answer)) this.#seen = new Map(decoded.series);
  }

  /** Takes in an overview: it counts nothing, but tells what need not be waited for. */
  oversee(overview: WindowedAnswer): void {
    this.#waiting.oversee(overview, this.#counted());
  }

  #needs(now: number, settleDelay: number): WindowNeeds {
    return { now, settleDelay, mark: this.mark, width: this.#record?.width ?? MINUTE_MS };
  }

  #counted(): ReadonlyMap<string, Ledger> {
    return new Map([...(this.#record?.ledgers ?? [])].filter(([name]) => this.#counts(name)));
  }

  /** The ledgers, with new ones for the dimensions that were not met before. */
  #openLedgers(decoded: Decoded, since: number): ReadonlyMap<string, Ledger> {
    const ledgers = new Map(this.#record?.ledgers);
    const mark = this.mark ?? since;
    for (const name of decoded.series.keys()) {
      if (this.#counts(name) && !ledgers.has(name)) ledgers.set(name, { total: 0, mark });
    }
    return ledgers;
  }

  #post(name: string, ledger: Ledger, { series }: Decoded, settlement: Settlement, moment: Moment): Posting {
    const { width } = settlement;
    return post(ledger, series.get(name) ?? NO_POINTS, settlement, (from) =>
      this.#waiting.exhausted(name, { from, to: from + width }, moment),
    );
  }

  #restated({ decoded, now }: WindowedAnswer, width: number): Restatements[] {
    return [...decoded.series].map(([name, points]) => {
      const counted = this.#record?.ledgers.get(name)?.mark ?? Number.NEGATIVE_INFINITY;
      return restatements(this.#seen.get(name) ?? NO_POINTS, points, counted, width, now);
    });
  }
}

/**
 * A ledger whose mark is further back than the platform's history cannot be continued there: it goes on where that
 * begins. Counted from a bucket that the platform has, since a clock gone astray must not cost the past.
 */
function withinHistory(ledger: Ledger, width: number, newest: number): { ledger: Ledger; forgotten: number } {
  const forgotten = Math.max(0, Math.ceil((newest - HISTORY_MS - ledger.mark) / width));
  return { ledger: { total: ledger.total, mark: ledger.mark + forgotten * width }, forgotten };
}
