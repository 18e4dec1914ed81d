import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { Ledger } from './ledger.ts';

/** Counters are compared with the platform over spans of about an hour. */
const SPAN_MS = 60 * MINUTE_MS;

/** One checkpoint in so many ms is enough. */
export const SPACING_MS = 5 * MINUTE_MS;

/** How long checkpoints are kept. */
const KEPT_MS = 4 * SPAN_MS;

interface Checkpoint {
  readonly mark: number;
  readonly sum: number;
}

/** What was counted over a past span, to be compared with what the platform says of it now. */
export interface CountedSpan {
  readonly window: Window;
  /** The sum of all its buckets, over all counted dimensions. */
  readonly counted: number;
}

/** Where a book stood at some moments in which all its ledgers had the same mark. */
export class Checkpoints {
  #points: Checkpoint[] = [];

  note(ledgers: ReadonlyMap<string, Ledger>): void {
    const point = checkpoint(ledgers);
    const last = this.#points.at(-1);
    if (point === undefined || point.mark % MINUTE_MS !== 0) return;
    if (last !== undefined && point.mark < last.mark + SPACING_MS) return;
    this.#points.push(point);
    this.#points = this.#points.filter(({ mark }) => mark >= point.mark - KEPT_MS);
  }

  /** The newest span of at most an hour that ended at or before `until`, if there is one of half an hour at least. */
  spanBefore(until: number): CountedSpan | undefined {
    const end = this.#points.findLast(({ mark }) => mark <= until);
    if (end === undefined) return undefined;
    const start = this.#points.find(({ mark }) => mark >= end.mark - SPAN_MS);
    if (start === undefined || end.mark - start.mark < SPAN_MS / 2) return undefined;
    return { window: { from: start.mark, to: end.mark }, counted: end.sum - start.sum };
  }
}

function checkpoint(ledgers: ReadonlyMap<string, Ledger>): Checkpoint | undefined {
  let mark: number | undefined;
  let sum = 0;
  for (const ledger of ledgers.values()) {
    if (mark !== undefined && ledger.mark !== mark) return undefined;
    mark = ledger.mark;
    sum += ledger.total;
  }
  return mark === undefined ? undefined : { mark, sum };
}
