import { Absences } from './absences.ts';
import type { Decoded } from './decode.ts';
import { type Ledger, post } from './ledger.ts';
import type { Points } from './points.ts';
import { type Restatements, restatements } from './restatements.ts';
import { catchUpWindow, freshWindow, MINUTE_MS, type Window } from './window.ts';

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

/** An answer with the window that was asked for. */
export interface WindowedAnswer {
  readonly decoded: Decoded;
  readonly window: Window;
  /** The platform's time when the answer came. */
  readonly now: number;
}

/** How far back the platform's history reaches (the longest duration of section 4.12). */
const HISTORY_MS = 30 * 24 * 60 * MINUTE_MS;

/** From how many buckets on an answer may tell another width than the answers before it. */
const TELLING_BUCKETS = 4;

const NO_POINTS: Points = { timestamps: new Float64Array(), values: new Float64Array() };

/**
 * The accounts of one metric of one target: a ledger for each dimension, and what was seen last, to notice
 * restatements. `draft` computes what an answer changes without changing anything; `enter` makes it so, once
 * the record is durable.
 */
export class SeriesBook {
  #record: BookRecord | undefined;
  #seen = new Map<string, Points>();
  readonly #absences = new Map<string, Absences>();
  #newest = Number.NEGATIVE_INFINITY;

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
    let oldest: number | undefined;
    for (const { mark } of this.#record?.ledgers.values() ?? []) oldest = Math.min(oldest ?? mark, mark);
    return oldest;
  }

  /** The window that brings the newest buckets. */
  freshWindow(now: number, settleDelay: number): Window {
    return freshWindow({ now, settleDelay, mark: this.mark, width: this.#record?.width ?? MINUTE_MS });
  }

  /** The oldest window that the counters lack and fresh windows do not bring. */
  catchUpWindow(now: number, settleDelay: number): Window | undefined {
    return catchUpWindow({ now, settleDelay, mark: this.mark, width: this.#record?.width ?? MINUTE_MS });
  }

  /** The bucket width of an answer, or undefined where neither it nor an earlier one tells. */
  widthOf(decoded: Decoded): number | undefined {
    const known = this.#record?.width;
    if (known === undefined || decoded.width === known) return decoded.width;
    const buckets = Math.max(0, ...[...decoded.series.values()].map(({ timestamps }) => timestamps.length));
    // A few points that are left of a bad answer may lie several buckets apart.
    return decoded.width !== undefined && buckets >= TELLING_BUCKETS ? decoded.width : known;
  }

  /** What an answer changes, or undefined when it holds nothing to begin with. */
  draft({ decoded, window, now }: WindowedAnswer, settleDelay: number): Entry | undefined {
    const width = this.widthOf(decoded);
    if (width === undefined) return undefined;
    const settledUntil = now - settleDelay;
    const since = this.#record?.since ?? Math.floor(settledUntil / width) * width;
    const newest = Math.max(this.#newest, newestOf(decoded));
    const ledgers = new Map(this.#record?.ledgers);
    for (const name of decoded.series.keys()) {
      if (this.#counts(name) && !ledgers.has(name)) ledgers.set(name, { total: 0, mark: this.mark ?? since });
    }
    let counted = 0;
    let givenUp = 0;
    const restated: Restatements[] = [];
    const absent = new Map<string, readonly number[]>();
    for (const [name, known] of ledgers) {
      const points = decoded.series.get(name) ?? NO_POINTS;
      const { ledger, forgotten } = withinHistory(known, width, now);
      const posting = post(ledger, points, { window, width, settledUntil }, (bucket) =>
        Boolean(this.#absences.get(name)?.exhausted(bucket, now, newest)),
      );
      ledgers.set(name, posting.ledger);
      counted += posting.counted;
      givenUp += posting.givenUp + forgotten;
      absent.set(name, posting.absent);
    }
    for (const [name, points] of decoded.series) {
      const before = this.#seen.get(name) ?? NO_POINTS;
      const counted = this.#record?.ledgers.get(name)?.mark ?? Number.NEGATIVE_INFINITY;
      restated.push(restatements(before, points, counted, width, now));
    }
    return { record: { since, width, ledgers }, counted, givenUp, restated, absent };
  }

  /** Makes a draft the truth, after its record has become durable. */
  enter(entry: Entry, { decoded, now }: WindowedAnswer): void {
    this.#record = entry.record;
    for (const [name, buckets] of entry.absent) this.#absencesOf(name).note(buckets, now);
    const newest = newestOf(decoded);
    if (newest < this.#newest) return;
    this.#newest = newest;
    this.#seen = new Map(decoded.series);
  }

  #absencesOf(name: string): Absences {
    const known = this.#absences.get(name);
    if (known !== undefined) return known;
    const absences = new Absences();
    this.#absences.set(name, absences);
    return absences;
  }
}

function newestOf(decoded: Decoded): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { timestamps } of decoded.series.values())
    newest = Math.max(newest, timestamps.at(-1) ?? newest);
  return newest;
}

/** A ledger whose mark is further back than the platform's history cannot be continued there: it goes on where that begins. */
function withinHistory(ledger: Ledger, width: number, now: number): { ledger: Ledger; forgotten: number } {
  const forgotten = Math.max(0, Math.ceil((now - HISTORY_MS - ledger.mark) / width));
  return { ledger: { total: ledger.total, mark: ledger.mark + forgotten * width }, forgotten };
}
