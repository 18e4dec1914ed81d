import { afterEach, expect, it } from 'vitest';
import { OwnMetrics } from '../../../src/exporter/self/own-metrics.ts';
import { sliceBySteps, sliceByTime } from '../../work-in-turns.ts';

afterEach(sliceByTime);

it('shows no line twice that is removed and shown again while the document is written', async () => {
  const own = new OwnMetrics();
  const family = own.family({ name: 'edge_x', type: 'gauge', help: '.' });
  const first = family.line({ nth: '0' });
  family.set(first, 1);
  for (let nth = 1; nth < 1_000; nth++) family.set(family.line({ nth: String(nth) }), 1);
  sliceBySteps();
  const writing = own.segments('text');
  family.remove(first);
  family.set(first, 2);
  const text = Buffer.concat((await writing).flatMap(({ identity }) => identity)).toString();
  const series = text.split('\n').filter((line) => line.startsWith('edge_x{'));
  expect(series.map((line) => line.replace(/ .*/, '')).toSorted()).toEqual(
    Array.from({ length: 1_000 }, (_, nth) => `edge_x{nth="${nth}"}`).toSorted(),
  );
});
