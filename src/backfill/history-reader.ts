import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';
import type { SeriesReader } from '../series/reader.ts';
import type { HistoryWindow } from './history-range.ts';
import { type PatienceOptions, patiently } from './patience.ts';
import { isWhole, recordOf, type SpoolLine, type SpoolRecord } from './spool-record.ts';

export interface HistoryReaderOptions extends PatienceOptions {
  readonly reader: Pick<SeriesReader, 'read'>;
  readonly read: Read;
  /** The end of the range (ms): buckets that end later are not waited for. */
  readonly end: number;
}

/** An answer that lacks buckets is asked for again until two agree, at most so often. */
const MOST_ANSWERS = 5;

/**
 * Reads one window of a metric. What the platform leaves out is only believed when it leaves it out twice, since a
 * damaged answer must not cost a bucket, and a bucket that there never was must not hold up the history.
 * @throws PlatformFailure when it keeps failing
 */
export async function readWindow(window: HistoryWindow, options: HistoryReaderOptions): Promise<SpoolLine> {
  let before: string | undefined;
  for (let answers = 1; ; answers += 1) {
    const answer = await patiently(() => readOnce(window, options), options).catch(vanished);
    if (answer === undefined) return { vanished: true };
    const { record, doubtful } = answer;
    if (!doubtful && isWhole(record, window, options.end)) return record;
    const text = JSON.stringify(record);
    if (text === before || answers === MOST_ANSWERS) return record;
    before = text;
  }
}

async function readOnce(
  window: HistoryWindow,
  { reader, read, signal }: HistoryReaderOptions,
): Promise<{ readonly record: SpoolRecord; readonly doubtful: boolean }> {
  const { decoded } = await reader.read(read, () => window.ask, signal);
  return { record: recordOf(window, decoded.series, decoded.width), doubtful: decoded.rejected.size > 0 };
}

/** The platform knows no such metric, or no longer the configuration: there is nothing to read, now or later. */
function vanished(error: unknown): undefined {
  if (error instanceof PlatformFailure && error.outcome === 'not_found') return undefined;
  throw error;
}
