import { expect, it } from 'vitest';
import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const account = {
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
};

it('counts an answer of which every row is bad as undecodable, with its rows by reason', async () => {
  const faults: FaultSettings = {
    wrong_types: { paths: ['/metrics/*metrics/'], kinds: ['string_value'], share: 1 },
  };
  simulation = await simulate({ account, sandbox: { faults } });
  await simulation.minutes(1);
  const { samples } = await simulation.scrape();
  const labels = { account: 'test', collector: 'metrics' };
  const polls = (outcome: string) =>
    samples.get(seriesKey('edge_exporter_polls_total', { ...labels, outcome }));
  expect(polls('undecodable')).toBeGreaterThanOrEqual(6);
  expect(polls('ok')).toBeUndefined();
  expect(
    samples.get(seriesKey('edge_exporter_rejected_rows_total', { ...labels, reason: 'bad_value' })),
  ).toBeGreaterThan(6 * 5 * 14);
  expect([...samples.keys()].filter((key) => key.includes('edge_requests_per_minute'))).toEqual([]);
});

it('counts an answer without points as empty, and shows nothing for it', async () => {
  const faults: FaultSettings = { empty_answer: { paths: ['/metrics/*metrics/'], form: 'points' } };
  simulation = await simulate({ account, sandbox: { faults } });
  const { samples } = await simulation.scrape();
  const key = seriesKey('edge_exporter_polls_total', {
    account: 'test',
    collector: 'metrics',
    outcome: 'empty',
  });
  expect(samples.get(key)).toBe(6);
  expect([...samples.keys()].filter((key) => key.includes('edge_requests'))).toEqual([]);
});
