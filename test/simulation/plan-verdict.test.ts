import { expect, it } from 'vitest';
import { ownValue } from '../own-value.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const ONE_METRIC = {
  reconciliation_share: 0,
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
};

const verdicts = ({ log }: Simulation) =>
  log.flatMap(({ message, facts }) =>
    /^the plan/.test(message) ? [[message.replace(/:.*/, ''), facts] as const] : [],
  );

it('says that the plan fits only once it is known what there is to poll', async () => {
  simulation = await simulate({ sandbox: { faults: { connection_reset: {} } }, account: ONE_METRIC });
  const { sandbox, minutes } = simulation;
  await minutes(5);
  sandbox.faults.set({ server_error: { status: 503 } });
  await minutes(10);
  expect(verdicts(simulation)).toEqual([]);
  sandbox.faults.clear();
  await minutes(10);
  expect(verdicts(simulation)).toEqual([
    [
      'the plan fits the quota',
      { account: 'test', scope: 'reads', jobs: 7, operations_per_minute: 6.1, allowed: 160 },
    ],
  ]);
});

it('says so although the platform closes a list to the token', async () => {
  simulation = await simulate({
    sandbox: { users: [], tokens: [{ token: 'sandbox-token', permissions: ['Analytics'] }] },
    account: { ...ONE_METRIC, collectors: { ...ONE_METRIC.collectors, domains: {} } },
  });
  await simulation.minutes(2);
  expect(
    await ownValue(simulation.metrics.polls, { account: 'test', collector: 'domains', outcome: 'forbidden' }),
  ).toBe(1);
  expect(verdicts(simulation)).toMatchObject([['the plan fits the quota', { jobs: 8 }]]);
});

it('tells the rate of a small plan, which is not zero', async () => {
  simulation = await simulate({ account: { collectors: { domains: { schedule: '0 * * * *' } } } });
  await simulation.minutes(2);
  expect(verdicts(simulation)).toMatchObject([
    ['the plan fits the quota', { jobs: 1, operations_per_minute: 0.0167 }],
  ]);
});

it('says that the plan exceeds the quota without waiting for the rest', async () => {
  simulation = await simulate({
    sandbox: { rateLimit: { reads: 5, writes: 20, purges: 200 } },
    account: { ...ONE_METRIC, collectors: { ...ONE_METRIC.collectors, domains: {}, hosted_zones: {} } },
  });
  await simulation.minutes(4);
  expect(verdicts(simulation)[0]).toMatchObject(['the plan exceeds the quota', { allowed: 4 }]);
});
