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

it('a scrape writes anew only lines near those that have changed, and sends the other pieces as they were', async () => {
  const own = new OwnMetrics();
  const family = own.family({ name: 'edge_exporter_polls', help: '.', type: 'gauge' });
  let written = 0;
  const lines = Array.from({ length: 6_400 }, (_, index) => {
    const line = family.line({ account: `${index}` });
    family.set(line, 1);
    const { text } = line;
    return Object.defineProperty(line, 'text', {
      get: () => {
        written += 1;
        return text;
      },
    });
  });
  const before = await own.segments('text');
  expect(written).toBe(lines.length);
  const [first] = lines;
  if (first === undefined) throw new Error('no line');
  family.set(first, 2);
  const after = await own.segments('text');
  expect(written - lines.length).toBeLessThan(100);
  expect(after.filter((segment, at) => segment !== before[at])).toHaveLength(1);
});
