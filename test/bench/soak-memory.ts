import { once } from 'node:events';
import type { LiveMemory } from './live-memory.ts';
import { rssOf, type Server, valueIn } from './scrape-process.ts';
import { median } from './statistics.ts';

/** RSS is the median of so long (s) before a moment. */
const RSS_OVER = 180;

/** What is seen of the exporter while it is left alone. */
export interface Moment {
  /** Since the start (s). */
  readonly at: number;
  readonly series: number;
  readonly rss: number;
  /** The event loop's longest delay of late (ms). */
  readonly block: number;
}

export function momentOf(exporter: Server, at: number, page: string): Moment {
  return {
    at,
    series: valueIn(page, 'edge_exporter_series'),
    rss: rssOf(exporter),
    block: valueIn(page, 'nodejs_eventloop_lag_max_seconds') * 1_000,
  };
}

/** What the exporter takes (bytes). */
export interface Memory extends LiveMemory {
  /** Of the process as it was until then: nobody made it collect anything. */
  readonly rss: number;
}

/**
 * What it takes now: RSS, and then, of heap and external memory, what a full collection leaves. Before one they tell how
 * long ago the last one was. It is made at the moments alone that are compared.
 */
export async function memoryOf({ child }: Server, moments: readonly Moment[]): Promise<Memory> {
  const now = moments.at(-1)?.at ?? 0;
  const rss = median(moments.filter(({ at }) => at > now - RSS_OVER).map(({ rss }) => rss));
  child.send('collect');
  const [live] = (await once(child, 'message')) as [LiveMemory];
  return { rss, ...live };
}
