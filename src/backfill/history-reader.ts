import { isDeepStrictEqual } from 'node:util';
import { type Decoded, isEmpty } from '../decode/decode.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';
import { answerWidth } from '../series/bucket-width.ts';
import type { SeriesReader } from '../series/series-reader.ts';
import { doubtAgain, type WidthDoubt } from '../series/width-doubt.ts';
import {
  type Evidence,
  isTimedOut,
  type MissingBucketTimeout,
  missedAgain,
} from '../settling/missing-buckets.ts';
import { MINUTE_MS, type Window } from '../settling/window.ts';
import type { HistoryWindow } from './history-range.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { isWhole, recordOf, type SpoolLine, type SpoolRecord, together } from './spool-record.ts';

export interface HistoryReaderOptions extends RetryOptions {
  readonly reader: Pick<SeriesReader, 'read'>;
  readonly read: Read;
  /** The end of the range (ms): buckets that end later are not waited for. */
  readonly end: number;
}

/** Buckets count as missing from the platform when a whole answer brings nothing new, or after this many answers. */
const BELIEVED: MissingBucketTimeout = { after: 0, whole: 1, asked: 5 };

/**
 * Reads one window of a metric, until nothing is missing or it is believed to be: a damaged answer must not cost a
 * bucket, and a bucket that there never was must not hold up the history. What several answers bring is put together.
 * @throws PlatformFailure when it keeps failing
 */
export async function readWindow(window: HistoryWindow, options: HistoryReaderOptions): Promise<SpoolLine> {
  let evidence: Evidence = { since: 0, until: 0, asked: 0, whole: 0 };
  let doubt: WidthDoubt | undefined;
  let known: SpoolRecord | undefined;
  for (;;) {
    const ask = moved(window.ask, (doubt?.answers ?? 0) * MINUTE_MS, options.end);
    const decoded = await withRetries(() => readOnce(ask, options), options).catch(vanished);
    if (decoded === undefined) return { vanished: true };
    if (widthOf(decoded, doubt) === undefined) doubt = doubtAgain(doubt, decoded, options.clock.now());
    const width = widthOf(decoded, doubt);
    const inDoubt = width === undefined && decoded.width !== undefined;
    const before = known;
    known = together(before, recordOf(window, decoded.series, inDoubt ? MINUTE_MS : width));
    const sound = decoded.rejected.size === 0 && !inDoubt;
    if (sound && isWhole(known, window, options.end)) return known;
    const bringsNothing = !isEmpty(decoded) && isDeepStrictEqual(known, before);
    evidence = missedAgain(evidence, bringsNothing && !inDoubt, options.clock.now());
    if (isTimedOut(evidence, BELIEVED)) return known;
  }
}

function widthOf(decoded: Decoded, doubt: WidthDoubt | undefined): number | undefined {
  return answerWidth(decoded, { known: undefined, seen: undefined, doubt });
}

async function readOnce(ask: Window, { reader, read, signal }: HistoryReaderOptions): Promise<Decoded> {
  return (await reader.read(read, () => ask, signal)).decoded;
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
