import { familyHeader } from '../exposition/family-header.ts';
import { type HistoryFamiliesOptions, historyFamilies } from './history-families.ts';
import { assemble, type SeriesHistory } from './series-history.ts';
import { seriesLines } from './series-lines.ts';
import type { Spool } from './spool.ts';

export interface HistoryTextOptions extends HistoryFamiliesOptions {
  /** Buckets that end later (ms) are left out. */
  readonly end: number;
}

/**
 * The history as OpenMetrics 1.0, in pieces. Families follow each other, within a family its series, and within a
 * series its samples, oldest first, as the format demands. Only one metric of one target is in memory at a time.
 */
export async function* historyText(options: HistoryTextOptions): AsyncGenerator<string> {
  for (const [family, all] of historyFamilies(options)) {
    yield familyHeader(family, 'openmetrics');
    let read: { readonly spool: Spool; readonly history: SeriesHistory } | undefined;
    for (const { spool, text, pointsIn } of all) {
      if (read?.spool !== spool) read = { spool, history: assemble(await spool.records(), options.end) };
      const points = pointsIn(read.history);
      if (points !== undefined) yield* seriesLines(text, read.history.starts.length, points);
    }
  }
  yield '# EOF\n';
}
