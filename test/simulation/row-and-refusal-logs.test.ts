import { expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const SMALL = { configurations: 1, domainsPerConfiguration: 1 };
const METRICS = { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } };

function linesOf({ log }: Simulation, words: string): readonly object[] {
  return log.filter(({ message }) => message.includes(words)).map(({ facts }) => facts);
}

it('tells of rows that were dropped once an hour: the target, the reason and how many, not what they hold', async () => {
  simulation = await simulate({
    sandbox: { ...SMALL, faults: { wrong_types: { share: 0.2, kinds: ['string_value'] } } },
    account: { reconciliation_share: 0, collectors: METRICS },
  });
  await simulation.minutes(50);
  const rows = expect.any(Number);
  expect(linesOf(simulation, 'dropped')).toEqual([
    {
      account: 'test',
      job: expect.stringMatching(/^metrics\/edge_applications\/configuration\/\d+\/(cdn_requests|waf)$/),
      configuration: expect.any(String),
      reason: 'bad_value',
      rows,
      unlogged_rows_before: undefined,
    },
  ]);
  await simulation.minutes(30);
  expect(linesOf(simulation, 'dropped').slice(1)).toMatchObject([
    { reason: 'bad_value', unlogged_rows_before: rows },
  ]);
});

it('tells of a scope that is rate limited once, however many operations are refused, and of the end', async () => {
  simulation = await simulate({ sandbox: SMALL, account: { reconciliation_share: 0, collectors: METRICS } });
  await simulation.minutes(3);
  simulation.sandbox.faults.set({ rate_limited: { retry_after: 5 } });
  await simulation.minutes(5);
  expect(simulation.sandbox.requests.byStatus.get(429)).toBeGreaterThan(4);
  expect(linesOf(simulation, 'rate limited')).toEqual([
    {
      account: 'test',
      scope: 'reads',
      path: expect.stringMatching(/^\/metrics\//),
      limit: 200,
      remaining: 0,
      reset_at: expect.stringMatching(/^2026-01-05T10:0\d:\d\d\.\d+Z$/),
      retry_after_seconds: 5,
    },
  ]);
  simulation.sandbox.faults.clear();
  await simulation.minutes(5);
  expect(linesOf(simulation, 'rate limiting ended')).toEqual([
    { account: 'test', scope: 'reads', refusals: simulation.sandbox.requests.byStatus.get(429) },
  ]);
});
