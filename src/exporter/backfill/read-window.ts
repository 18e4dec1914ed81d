import type { Points, Rejections } from '../decode/points.ts';
import { PlatformFailure } from '../platform/read.ts';
import { apply } from '../series/apply.ts';
import {
  EMPTY_DIMENSION,
  EMPTY_LEDGER,
  type Ledger,
  type LedgerRules,
  type SettledBucket,
} from '../series/ledger.ts';
import type { WindowedAnswer } from '../series/series-source.ts';
import { FINEST_WINDOW_MS, MINUTE_MS, type Window } from '../settling/window.ts';
import { type RetryOptions, withRetries } from './attempts.ts';
import type { HistoryWindow } from './history-plan.ts';

/** A series to read, with its number in the plan. */
export interface SeriesAskedFor {
  readonly number: number;
  /** Values of its metric's breakdown in earlier windows; undefined if the response determines them. */
  readonly names: readonly string[] | undefined;
}

/** Reads one window of some series. The result omits series that the platform does not have. @throws PlatformFailure */
export type ReadSeries = (
  asked: readonly SeriesAskedFor[],
  window: Window,
  signal: AbortSignal,
) => Promise<ReadonlyMap<number, WindowedAnswer>>;

/** Series of a plan that are read together. */
export interface HistoryUnit {
  /** Numbers of the series in the plan. */
  readonly numbers: readonly number[];
  readonly read: ReadSeries;
}

/** Counted buckets of one dimension within a window, ascending. */
export interface CountedBuckets {
  /** Width of the dimension's buckets (ms). */
  readonly width: number;
  /** Start (ms since the epoch), width (ms) and value. A width above the dimension's means that buckets are missing. */
  readonly buckets: readonly (readonly [start: number, width: number, value: number])[];
}

/** Result of reading one window. */
export interface WindowRead {
  readonly dimensions: ReadonlyMap<string, CountedBuckets>;
  /** False if the window has missing buckets. */
  readonly isWhole: boolean;
}

export interface WindowOptions extends RetryOptions {
  readonly read: ReadSeries;
}

/** Number of responses after which a bucket counts as missing: the first, and the three rereads of polling. */
const ENOUGH_ANSWERS = 4;

/** Rules for a window that has settled entirely, with every dimension kept. */
const RULES: LedgerRules = {
  counts: () => true,
  delays: { publish: 0, settle: 0, horizon: 0, lag: 0 },
  certainNow: Number.POSITIVE_INFINITY,
};

const NONE_REJECTED: Rejections = new Map();

/** Simulated delay (ms) between two responses for the ledger, after which all rereads are due. */
const STEP_MS = 30 * MINUTE_MS;

/**
 * Reads one window of some series, repeatedly until their ledgers have no missing buckets. Every counter treats the window as a
 * hole.
 * @returns undefined for a series that the platform does not have
 * @throws PlatformFailure if it keeps failing
 */
export async function readWindow(
  window: HistoryWindow,
  numbers: readonly number[],
  { read, ...options }: WindowOptions,
): Promise<ReadonlyMap<number, WindowRead | undefined>> {
  const series = new Map(numbers.map((number) => [number, new WindowLedger(window)]));
  for (let answers = 1; answers <= ENOUGH_ANSWERS; answers += 1) {
    const lacking = [...series].filter(([, ledger]) => !ledger.isComplete);
    if (lacking.length === 0) break;
    // The window's first response determines which values of an open breakdown have their own series.
    const asked = lacking.map(([number, { names }]) => ({
      number,
      names: answers === 1 ? undefined : names,
    }));
    const asking = () => read(asked, window.ask, options.signal);
    const found = await withRetries(asking, options).catch(noneIfNotFound);
    for (const [number, ledger] of lacking) {
      const answer = found.get(number);
      if (answer === undefined) series.delete(number);
      else ledger.take(answer, answers);
    }
  }
  return new Map(numbers.map((number) => [number, series.get(number)?.result]));
}

/** Returns no series if the platform lacks the metric or the configuration. @throws every other failure */
function noneIfNotFound(error: unknown): ReadonlyMap<number, WindowedAnswer> {
  if (!(error instanceof PlatformFailure) || error.outcome !== 'not_found') throw error;
  return new Map();
}

/** Ledger of one series within a window. */
class WindowLedger {
  /** True if no further response is needed. */
  isComplete = false;
  readonly #window: HistoryWindow;
  readonly #settled: SettledBucket[] = [];
  #ledger: Ledger;
  #skipped = 0;

  constructor(window: HistoryWindow) {
    this.#window = window;
    this.#ledger = { ...EMPTY_LEDGER, since: window.from, newest: window.to };
  }

  get names(): string[] {
    return [...this.#ledger.dimensions.keys()];
  }

  get #lacks(): boolean {
    const { dimensions } = this.#ledger;
    return (
      dimensions.size === 0 || [...dimensions.values()].some(({ counter }) => counter?.holes.length !== 0)
    );
  }

  /** Applies a response to the ledger. @param answers number of responses, including this one */
  take(answer: WindowedAnswer, answers: number): void {
    const { ask } = this.#window;
    const { rejected, insteadOf: _, ...decoded } = answer.decoded;
    const series = closed(decoded.series, ask);
    const now = ask.to + 2 * FINEST_WINDOW_MS + answers * STEP_MS;
    const clean = { decoded: { ...decoded, series, rejected: NONE_REJECTED }, window: ask, now };
    const applied = apply(begun(this.#ledger, series.keys(), this.#window), clean, RULES);
    this.#ledger = applied.ledger;
    this.#settled.push(...applied.settled);
    this.#skipped += applied.skipped;
    this.isComplete = !this.#lacks && rejected.size === 0;
  }

  get result(): WindowRead {
    return {
      dimensions: bucketsOf(this.#ledger, this.#settled),
      isWhole: !this.#lacks && this.#skipped === 0,
    };
  }
}

/** Adds a row after a window that ends with the hour, where a bucket begins. The row shows where the last bucket ends. */
function closed(series: ReadonlyMap<string, Points>, { to }: Window): ReadonlyMap<string, Points> {
  if (to % FINEST_WINDOW_MS !== 0) return series;
  return new Map(
    [...series].map(([name, points]) => {
      // An operation for several series may return rows after the window.
      if (Number(points.timestamps.at(-1)) >= to) return [name, points];
      const { timestamps, values } = points;
      return [
        name,
        { timestamps: Float64Array.of(...timestamps, to), values: Float64Array.of(...values, 0) },
      ];
    }),
  );
}

/** Starts counters for new dimensions. */
function begun(ledger: Ledger, names: Iterable<string>, { from, to }: Window): Ledger {
  const dimensions = new Map(ledger.dimensions);
  const counter = { total: 0, watermark: to, holes: [{ from, to, since: 0, asked: 0 }] };
  for (const name of names) if (!dimensions.has(name)) dimensions.set(name, { ...EMPTY_DIMENSION, counter });
  return { ...ledger, dimensions };
}

function bucketsOf({ dimensions }: Ledger, settled: readonly SettledBucket[]): WindowRead['dimensions'] {
  const found = new Map<string, CountedBuckets & { readonly buckets: [number, number, number][] }>();
  for (const [name, { width = MINUTE_MS }] of dimensions) found.set(name, { width, buckets: [] });
  const ascending = settled.toSorted((one, other) => one.start - other.start);
  for (const { dimension, start, width, value } of ascending)
    found.get(dimension)?.buckets.push([start, width, value]);
  return found;
}
