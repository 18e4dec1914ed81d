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

/** A series that is asked for, by its number in the plan. */
export interface SeriesAskedFor {
  readonly number: number;
  /** Values by which its metric was broken down before; undefined lets the answer choose them. */
  readonly names: readonly string[] | undefined;
}

/** Reads one window of some series. The answer lacks those that the platform does not have. @throws PlatformFailure */
export type ReadSeries = (
  asked: readonly SeriesAskedFor[],
  window: Window,
  signal: AbortSignal,
) => Promise<ReadonlyMap<number, WindowedAnswer>>;

/** Series of a plan that are read together. */
export interface HistoryUnit {
  /** Their numbers in the plan. */
  readonly numbers: readonly number[];
  readonly read: ReadSeries;
}

/** Counted buckets of one dimension within a window, ascending. */
export interface CountedBuckets {
  /** Width of the dimension's buckets (ms). */
  readonly width: number;
  /** Start (ms since the epoch), width (ms) and value. A greater width than usual means that buckets are missing. */
  readonly buckets: readonly (readonly [start: number, width: number, value: number])[];
}

/** Result of reading one window. */
export interface WindowRead {
  readonly dimensions: ReadonlyMap<string, CountedBuckets>;
  /** False if buckets are missing. */
  readonly isWhole: boolean;
}

export interface WindowOptions extends RetryOptions {
  readonly read: ReadSeries;
}

/** Answers after which a bucket counts as missing: the first, and the three rereads of polling. */
const ENOUGH_ANSWERS = 4;

/** All time of a window has settled, and every dimension is kept. */
const RULES: LedgerRules = {
  counts: () => true,
  delays: { publish: 0, settle: 0, horizon: 0, lag: 0 },
  certainNow: Number.POSITIVE_INFINITY,
};

const NONE_REJECTED: Rejections = new Map();

/** Delay (ms) of each answer after the one before, as the ledger sees it: all rereads are due at once. */
const STEP_MS = 30 * MINUTE_MS;

/**
 * Reads one window of some series, again until their ledgers lack nothing: to every counter the window is a hole.
 * @returns undefined for a series that the platform does not know
 * @throws PlatformFailure when it keeps failing
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
    // The window's first answer decides which values of an open breakdown have series of their own.
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

/** The platform knows no such metric, or no longer the configuration. @throws any other failure */
function noneIfNotFound(error: unknown): ReadonlyMap<number, WindowedAnswer> {
  if (!(error instanceof PlatformFailure) || error.outcome !== 'not_found') throw error;
  return new Map();
}

/** One series within a window. */
class WindowLedger {
  /** True if no further answer is needed. */
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

  /** @param answers number of answers, this one included */
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

/** Adds a row behind a window that ends with the hour, where a bucket begins: it shows that the last one ends there. */
function closed(series: ReadonlyMap<string, Points>, { to }: Window): ReadonlyMap<string, Points> {
  if (to % FINEST_WINDOW_MS !== 0) return series;
  return new Map(
    [...series].map(([name, points]) => {
      // An operation that serves others as well may bring rows behind the window.
      if (Number(points.timestamps.at(-1)) >= to) return [name, points];
      const { timestamps, values } = points;
      return [
        name,
        { timestamps: Float64Array.of(...timestamps, to), values: Float64Array.of(...values, 0) },
      ];
    }),
  );
}

/** Begins counters of dimensions that are new. */
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
