import { describe, expect, it } from 'vitest';
import { historyText, outputSeries } from '../../../src/exporter/backfill/history-output.ts';
import type { PlannedSeries } from '../../../src/exporter/backfill/history-plan.ts';
import type { HistoryState } from '../../../src/exporter/backfill/history-state.ts';
import type { CountedBuckets } from '../../../src/exporter/backfill/read-window.ts';
import { MINUTE_MS } from '../../../src/exporter/settling/window.ts';

const START = 1_767_607_200_000;
const planned = (id: string, metric: string): PlannedSeries => ({
  account: 'test',
  api: 'metrics',
  product: 'edge_applications',
  by: 'configuration',
  id,
  name: 'shop',
  metric,
  source: 'rest',
});

/**
 * Returns the counted buckets of a window. Each bucket is given as minutes since the start, width in minutes,
 * and value.
 */
function counted(width: number, ...buckets: readonly (readonly [number, number, number])[]): CountedBuckets {
  return {
    width: width * MINUTE_MS,
    buckets: buckets.map(([at, long, value]) => [START + at * MINUTE_MS, long * MINUTE_MS, value]),
  };
}

async function textOf(metric: string, dimension: string, windows: readonly CountedBuckets[], ids = ['7']) {
  const state = {
    progress: () => ({ dimensions: [dimension] }),
    buckets: async function* () {
      yield* windows;
    },
  } as unknown as HistoryState;
  const options = { state, labels: { job: 'edge' }, unitsOf: () => ({}) };
  const series = outputSeries({ ...options, series: ids.map((id) => planned(id, metric)) });
  let text = '';
  for await (const piece of historyText(series)) text += piece;
  return text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE)/.test(line));
}

const short = (lines: readonly string[]) => lines.map((line) => line.replace(/\{.*\}/, ''));

describe('the text of a history', () => {
  const minutes = [counted(1, [0, 1, 5], [2, 1, 10]), counted(1), counted(1, [3, 1, 1])];

  it('shows a gauge at the end of every bucket, and nothing where one is missing', async () => {
    expect(short(await textOf('cdn_requests', 'total', minutes)).slice(0, 3)).toEqual([
      'edge_requests_per_minute 5 1767607260',
      'edge_requests_per_minute 10 1767607380',
      'edge_requests_per_minute 1 1767607440',
    ]);
  });

  it('counts from zero, a millisecond after the first bucket began, and over gaps', async () => {
    expect(short(await textOf('cdn_requests', 'total', minutes)).slice(3)).toEqual([
      'edge_requests_total 0 1767607200.001',
      'edge_requests_total 5 1767607260',
      'edge_requests_total 15 1767607380',
      'edge_requests_total 16 1767607440',
      '# EOF',
    ]);
  });

  it('brings counts of wide buckets to a minute, and leaves out gauges of buckets that may be longer than others', async () => {
    const wide = [counted(5, [0, 5, 20], [5, 10, 7])];
    expect(short(await textOf('cdn_requests', 'total', wide))).toEqual([
      'edge_requests_per_minute 4 1767607500',
      'edge_requests_total 0 1767607200.001',
      'edge_requests_total 20 1767607500',
      'edge_requests_total 27 1767608100',
      '# EOF',
    ]);
  });

  it('has a series that two metrics bring once', async () => {
    expect(await textOf('cdn_requests', 'total', minutes, ['7', '7'])).toEqual(
      await textOf('cdn_requests', 'total', minutes),
    );
    expect(await textOf('cdn_requests', 'total', minutes, ['7', '8'])).toHaveLength(2 * 7 + 1);
  });
});
