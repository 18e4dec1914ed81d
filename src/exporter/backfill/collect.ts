import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import type { Decoded } from '../decode/decode.ts';
import { NO_POINTS } from '../decode/points.ts';
import { type FailureOutcome, PlatformFailure, type Read } from '../platform/read.ts';
import type { WindowReader } from '../series/series-source.ts';
import { nextWidth } from '../series/width.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import { type HistoryWindow, moment, nameOf, type PlannedSeries } from './history-plan.ts';
import type { BackfillProgress } from './progress.ts';
import { LongFailure } from './refusal.ts';
import { isWhole, recordOf, type Spool, type SpoolLine, type SpoolRecord, together } from './work-folder.ts';

/** One metric of one target, how it is read, and where what was read is kept. */
export interface Collected {
  readonly planned: PlannedSeries;
  readonly spool: Spool;
  readonly source: Pick<HistoryReaderOptions, 'reader' | 'read'>;
}

interface CollectOptions {
  readonly concurrency: number;
  readonly series: readonly Collected[];
  readonly windows: readonly HistoryWindow[];
  /** The end of the range (ms). */
  readonly end: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: BackfillProgress;
}

/** Reads what spools lack, the oldest window of each first. @throws LongFailure, and the signal's reason when it aborts */
export function collect(options: CollectOptions): Promise<void> {
  const { concurrency, signal } = options;
  return inParallel(missing(options), concurrency, (work, ending) => read(work, ending, options), signal);
}

interface Work {
  readonly one: Collected;
  readonly window: HistoryWindow;
}

function* missing({ windows, series }: CollectOptions): Generator<Work> {
  for (const window of windows) {
    for (const one of series) {
      // Looked at when its turn comes: by then another window may have shown that there is nothing to read.
      if (!one.spool.vanished && !one.spool.has(window.index)) yield { one, window };
    }
  }
}

async function read({ one, window }: Work, signal: AbortSignal, options: CollectOptions): Promise<void> {
  const { clock, end, progress, windows } = options;
  const { planned, spool, source } = one;
  const metric = nameOf(planned);
  const from = moment(window.from);
  try {
    const onRetry = ({ message: reason }: PlatformFailure, pause: number) =>
      progress.log.warn({ metric, from, reason, retry_seconds: pause / 1_000 }, 'reading a window failed');
    const line = await readWindow(window, { ...source, clock, end, signal, onRetry });
    const advanced = await spool.append(line, windows.length);
    progress.advance(advanced);
    if ('vanished' in line && advanced > 0)
      progress.log.warn({ metric }, 'the platform does not have this metric');
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    const { message, outcome } = failure;
    throw new LongFailure(`${metric}, ${from} to ${moment(window.to)}: ${message} (${outcome})`);
  }
}

/** Works on items, several at once, in their order. The first failure aborts what is under way, and is thrown. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ending = AbortSignal.any([signal, failed.signal]);
  // Each worker waits on it in its own way; more than ten at once are no leak.
  setMaxListeners(0, ending);
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    try {
      for (let next = iterator.next(); !next.done; next = iterator.next()) {
        ending.throwIfAborted();
        await work(next.value, ending);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  ending.throwIfAborted();
}

export interface HistoryReaderOptions extends RetryOptions {
  readonly reader: WindowReader;
  readonly read: Read;
  /** The end of the range (ms): buckets that end later are not waited for. */
  readonly end: number;
}

/** After so many answers, buckets count as missing from the platform. */
const MOST_ANSWERS = 5;

/**
 * Reads one window of a metric, until nothing is missing or an answer brings nothing new: a damaged answer must not cost a
 * bucket, and a bucket that there never was must not hold up the history. What several answers bring is put together.
 * @throws PlatformFailure when it keeps failing
 */
export async function readWindow(window: HistoryWindow, options: HistoryReaderOptions): Promise<SpoolLine> {
  let seen: ReturnType<typeof nextWidth> = { width: undefined, isKnown: false, areNarrow: false };
  let known: SpoolRecord | undefined;
  for (let answers = 1; ; answers += 1) {
    const ask = moved(window.ask, (seen.doubt?.answers ?? 0) * MINUTE_MS, options.end);
    const { reader, read, signal } = options;
    const answer = await withRetries(() => reader.read(read, () => ask, signal), options).catch(vanished);
    if (answer === undefined) return { vanished: true };
    const { decoded } = answer;
    const starts = startsIn(decoded);
    seen = nextWidth(starts, NO_POINTS, { width: undefined, doubt: seen.doubt, usual: undefined }, NO_POINTS);
    const width = starts.length > 1 && seen.isKnown ? seen.width : undefined;
    const before = known;
    known = together(before, recordOf(window, decoded.series, seen.isKnown ? width : MINUTE_MS));
    if (decoded.rejected.size === 0 && seen.isKnown && isWhole(known, window, options.end)) return known;
    const bringsNothing = seen.isKnown && starts.length > 0 && isDeepStrictEqual(known, before);
    if (bringsNothing || answers >= MOST_ANSWERS) return known;
  }
}

/** Starts of all buckets of an answer, ascending. */
function startsIn({ series, valueless }: Decoded): Float64Array {
  const starts = new Set<number>();
  for (const { timestamps } of series.values()) for (const time of timestamps) starts.add(time);
  for (const timestamps of valueless?.values() ?? []) for (const time of timestamps) starts.add(time);
  return Float64Array.from(starts).sort();
}

/** An answer that loses every second row brings others for a window that begins at another minute. */
function moved({ from, to }: Window, by: number, end: number): Window {
  return to + by <= end ? { from: from + by, to: to + by } : { from: from - by, to: to - by };
}

/** The platform knows no such metric, or no longer the configuration: there is nothing to read, now or later. */
function vanished(error: unknown): undefined {
  if (error instanceof PlatformFailure && error.outcome === 'not_found') return undefined;
  throw error;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for every failure that is retried, with the delay (ms). */
  readonly onRetry: (failure: PlatformFailure, pause: number) => void;
  /** Whether the platform has never answered: then the address may be wrong, and it is asked three times. */
  readonly isAddressInDoubt?: () => boolean;
}

/** How long something may keep failing before backfill gives up. */
export const RETRY_TIMEOUT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Failures that a retry does not change. */
const FINAL: readonly FailureOutcome[] = ['unauthorized', 'forbidden', 'not_acceptable'];

/** What a wrong address looks like may be temporary, but not this many times in a row. */
const TRIES = 3;

/** Failures by which the platform, and not something at another address, has answered. */
const OF_PLATFORM: readonly FailureOutcome[] = ['rate_limited', 'server_error'];

/** Retries until it succeeds, with growing pauses. @throws PlatformFailure a final one, or the last when time is over */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry, isAddressInDoubt = () => false } = options;
  const mayBeMisaddressed = ({ outcome }: PlatformFailure) =>
    outcome === 'not_found' || (isAddressInDoubt() && !OF_PLATFORM.includes(outcome));
  let failingSince: number | undefined;
  let misaddressed = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (failure) {
      if (!(failure instanceof PlatformFailure) || FINAL.includes(failure.outcome)) throw failure;
      misaddressed = mayBeMisaddressed(failure) ? misaddressed + 1 : 0;
      failingSince ??= clock.now();
      if (misaddressed >= TRIES || clock.now() - failingSince >= RETRY_TIMEOUT_MS) throw failure;
      onRetry(failure, pause);
      await clock.sleep(pause, signal);
    }
  }
}
