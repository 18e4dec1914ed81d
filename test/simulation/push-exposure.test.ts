import { expect, it, onTestFinished } from 'vitest';
import { simulate } from './simulation.ts';

async function exposedWith(receiver: object): Promise<Set<string>> {
  const simulation = await simulate({
    account: {
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code'] } } },
      },
    },
    // Nobody answers there: what is exposed does not depend on it.
    push: [{ name: 'central', kind: 'remote_write', url: 'http://127.0.0.1:9/write', ...receiver }],
  });
  onTestFinished(() => simulation.close());
  await simulation.minutes(20);
  const { samples } = await simulation.scrape();
  return new Set([...samples.keys()].map((key): string => JSON.parse(key)[0]));
}

it('leaves out of /metrics what is pushed to a receiver with expose: false, and nothing else', async () => {
  const all = await exposedWith({ families: ['edge_requests_*'] });
  const hidden = await exposedWith({ families: ['edge_requests_*'], expose: false });
  const left = [...all].filter((name) => !hidden.has(name));
  expect(left.toSorted()).toEqual([
    'edge_requests_by_cache_per_minute',
    'edge_requests_by_cache_total',
    'edge_requests_by_scheme_per_minute',
    'edge_requests_by_scheme_total',
    'edge_requests_per_minute',
    'edge_requests_total',
  ]);
  expect(hidden).toContain('edge_responses_total');
  expect(hidden).toContain('edge_data_until_timestamp_seconds');
});
