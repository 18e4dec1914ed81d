import { expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

const account = {
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code'] } } } },
};

const sandbox = { configurations: 1, domainsPerConfiguration: 1 };

const CENTRAL = { name: 'central', kind: 'remote_write', url: 'http://127.0.0.1:9/write' };

async function namesOf(simulation: Simulation): Promise<Set<string>> {
  const { samples } = await simulation.scrape();
  return new Set([...samples.keys()].map((key): string => JSON.parse(key)[0]));
}

async function exposedWith(receiver: object): Promise<Set<string>> {
  const simulation = await simulate({ account, sandbox, push: [{ ...CENTRAL, ...receiver }] });
  await simulation.minutes(20);
  return namesOf(simulation);
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

it('pushes what an account finds that goes on, from when a receiver comes with a reload until it goes with another', async () => {
  const simulation = await simulate({ account, sandbox });
  await simulation.minutes(20);
  await simulation.reload([{ ...CENTRAL, families: ['edge_requests_*'], expose: false }]);
  await simulation.minutes(5);
  const [receiver] = simulation.exporter().receivers();
  expect(receiver?.samples).toBeGreaterThan(0);
  expect(await namesOf(simulation)).not.toContain('edge_requests_total');
  await simulation.reload([]);
  await simulation.minutes(5);
  expect(await namesOf(simulation)).toContain('edge_requests_total');
});
