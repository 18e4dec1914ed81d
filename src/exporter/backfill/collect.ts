import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { PlatformFailure } from '../platform/read.ts';
import type { HistoryAccount } from './history-account.ts';
import type { PlannedSeries } from './history-plan.ts';
import { type HistoryWindow, moment } from './history-range.ts';
import { type HistoryReaderOptions, readWindow } from './history-reader.ts';
import type { Spool } from './spool.ts';

/** One metric of one target, how it is read, and where what was read is kept. */
export interface Collected {
  readonly planned: PlannedSeries;
  readonly spool: Spool;
  readonly source: Pick<HistoryReaderOptions, 'reader' | 'read'>;
}

interface CollectOptions {
  readonly account: Pick<HistoryAccount, 'concurrency'>;
  readonly series: readonly Collected[];
  readonly windows: readonly HistoryWindow[];
  /** The end of the range (ms). */
  readonly end: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly observer: CollectObserver;
}

/** Told what happens while a history is read. */
export interface CollectObserver {
  /** So many windows of a metric need no more reading. */
  advanced(windows: number): void;
  retried(planned: PlannedSeries, window: HistoryWindow, failure: PlatformFailure, pause: number): void;
  /** The platform does not know the metric, or no longer the configuration. */
  vanished(planned: PlannedSeries): void;
}

/** A window of a metric that could not be read. Its message names both, and the reason. */
export class WindowFailure extends Error {
  override readonly name = 'WindowFailure';

  constructor(planned: PlannedSeries, { from, to }: HistoryWindow, failure: PlatformFailure) {
    super(`${nameOf(planned)}, ${moment(from)} to ${moment(to)}: ${failure.message} (${failure.outcome})`);
  }
}

/** How messages name a metric of a target. */
export function nameOf({ account, product, by, id, name, metric }: PlannedSeries): string {
  const whose = by === 'product' ? 'the whole product' : `configuration ${name || id}`;
  return `account ${account}, ${product}, ${whose}, ${metric}`;
}

/**
 * Reads what an account's spools lack: the oldest window of every metric before the next window of any.
 * @throws WindowFailure when a window keeps failing, and the signal's reason when it aborts
 */
export async function collect(options: CollectOptions): Promise<void> {
  const { account, signal } = options;
  await inParallel(
    missing(options),
    account.concurrency,
    (work, ending) => read(work, ending, options),
    signal,
  );
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
  const { clock, end, observer, windows } = options;
  const { planned, spool, source } = one;
  try {
    const onRetry = (failure: PlatformFailure, pause: number) =>
      observer.retried(planned, window, failure, pause);
    const line = await readWindow(window, { ...source, clock, end, signal, onRetry });
    const advanced = await spool.append(line, windows.length);
    observer.advanced(advanced);
    if ('vanished' in line && advanced > 0) observer.vanished(planned);
  } catch (failure) {
    throw failure instanceof PlatformFailure ? new WindowFailure(planned, window, failure) : failure;
  }
}

/**
 * Works on items, several at once, in their order. The first failure ends everything: what is under way is aborted,
 * nothing else is begun, and it is thrown.
 */
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
