import { expect, it } from 'vitest';
import { SeriesBed } from './series-bed.ts';

const MINUTE = 60_000;

it('takes no share above 100 percent from an answer', async () => {
  const now = Date.UTC(2026, 0, 5, 12);
  const rows = [
    [now - 2 * MINUTE, 100],
    [now - MINUTE, 101],
  ];
  const job = new SeriesBed('data_offloaded', now, 'auto').job('7');
  const read = async () => ({ body: { offload: rows, total: rows }, bytes: 100 });
  const { answers } = await job.read(read, new AbortController().signal);
  const decoded = answers[0]?.[1].decoded;
  expect(decoded?.series.get('offload')?.values).toEqual(Float64Array.of(100));
  expect(decoded?.series.get('total')?.values).toEqual(Float64Array.of(100, 101));
});
