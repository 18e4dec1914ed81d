import { expect, it } from 'vitest';
import { simulate } from './simulation.ts';

it('what is asked for less often because it fails is not said to lack quota', async () => {
  const simulation = await simulate({
    account: {
      collectors: {
        // The platform answers 404 for `requests` of edge applications.
        metrics: { products: { edge_applications: { metrics: ['status_code', 'requests'] } } },
      },
    },
  });
  await simulation.minutes(40);
  const { samples } = await simulation.scrape();
  await simulation.close();
  expect([...samples.keys()].some((key) => key.includes('not_found'))).toBe(true);
  const stretch = [...samples].filter(
    ([key]) => key.includes('interval_stretch_ratio') && key.includes('"metrics"'),
  );
  expect(stretch.length).toBe(1);
  expect(stretch[0]?.[1]).toBeLessThan(1.1);
});
