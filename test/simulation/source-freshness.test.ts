import { expect, it } from 'vitest';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { livePlan } from '../../src/exporter/plan/live-plan.ts';
import { createSandbox, DEFAULT_TOKEN, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { inLongSuite } from '../long-suite.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { type Simulation, simulate } from './simulation.ts';

const CONFIGURATIONS = inLongSuite(200, 50);
const JOBS = CONFIGURATIONS * 9;
/** Operations per minute of each API. With REST, every job runs once in 28 minutes. */
const QUOTA = CONFIGURATIONS * 0.4;
const LARGE: SandboxOptions = {
  configurations: CONFIGURATIONS,
  domainsPerConfiguration: 1,
  rateLimit: { reads: QUOTA, writes: 20, purges: 20 },
  graphqlRateLimit: QUOTA,
};

let simulation: Simulation | undefined;

const accountOf = (source: 'rest' | 'graphql') => ({
  source,
  reconciliation_share: 0,
  collectors: { metrics: { products: { edge_applications: {} } } },
});

async function planned(source: 'rest' | 'graphql') {
  const clock = new SimulatedClock();
  const platform = await createSandbox({ now: () => clock.now(), ...LARGE }).listen(0);
  const { accounts } = CONFIG.parse({
    accounts: [{ name: 'test', api_url: platform.url, token: DEFAULT_TOKEN.token, ...accountOf(source) }],
  });
  const [account] = accounts;
  if (account === undefined) throw new Error('one account was configured');
  const { signal } = new AbortController();
  try {
    const plan = await livePlan({ account, clock, signal, tell: () => {}, guard: () => {} });
    if ('unreachable' in plan) throw new Error(plan.unreachable);
    const operations = plan.scopes.reduce((sum, scope) => sum + scope.operations, 0);
    const ages = plan.rows.flatMap(({ age_seconds: age }) => age ?? []);
    return { operations, age: Math.max(...ages), fits: plan.fits };
  } finally {
    await platform.close();
  }
}

async function measured(source: 'rest' | 'graphql', warmUp: number) {
  simulation = await simulate({ sandbox: LARGE, account: accountOf(source) });
  await simulation.minutes(warmUp);
  const { clock, sandbox } = simulation;
  const before = sandbox.requests.total;
  await simulation.minutes(5);
  const operations = (sandbox.requests.total - before) / 5;
  const { samples } = await simulation.scrape();
  const ends = [...samples].filter(([key]) => key.startsWith('["edge_data_until_timestamp_seconds"'));
  expect(ends).toHaveLength(JOBS);
  expect(sandbox.requests.byStatus.get(429)).toBeUndefined();
  const age = clock.now() / 1_000 - ends.reduce((sum, [, end]) => sum + end, 0) / ends.length;
  return { operations, age };
}

it('is minutes old by GraphQL where by REST the quota makes it a quarter of an hour, and `plan` says both before', async () => {
  const rest = { planned: await planned('rest'), measured: await measured('rest', 31) };
  await simulation?.close();
  const graphql = { planned: await planned('graphql'), measured: await measured('graphql', 10) };
  process.stdout.write(`${CONFIGURATIONS} configurations, 9 metrics: ${JSON.stringify({ rest, graphql })}\n`);
  expect([rest.planned.fits, graphql.planned.fits]).toEqual([false, true]);
  expect(rest.measured.operations / rest.planned.operations).toBeCloseTo(1, 1);
  expect(rest.measured.age).toBeGreaterThan(900);
  expect(graphql.planned.operations).toBeLessThan(4);
  expect(graphql.measured.operations).toBeLessThan(4);
  expect(graphql.measured.age).toBeLessThan(300);
});

it('shows all also where three operations a minute make a turn take longer than the present lasts, and asks for no more than is missing', async () => {
  simulation = await simulate({
    sandbox: {
      configurations: 40,
      domainsPerConfiguration: 1,
      graphqlRateLimit: 3,
      graphqlRateHeaders: 'sent',
    },
    account: {
      source: 'graphql',
      reconciliation_share: 0,
      // An answer has space for 56 rows.
      request: { max_response_bytes: 65_536 },
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['status_code', 'http_method', 'waf'] } } },
      },
    },
  });
  const { clock, minutes, scrape } = simulation;
  const ages = async () => {
    const { samples } = await scrape();
    const ends = [...samples].filter(([key]) => key.startsWith('["edge_data_until_timestamp_seconds"'));
    return ends.map(([, end]) => clock.now() / 60_000 - end / 60);
  };
  await minutes(40);
  const first = await ages();
  expect(first).toHaveLength(120);
  // One round of all jobs takes more than 20 minutes.
  expect(Math.max(...first)).toBeGreaterThan(20);
  await minutes(40);
  const later = await ages();
  expect(later).toHaveLength(120);
  // A group is read as a whole, so the age of its data is the time of its operations plus one round.
  expect(Math.max(...later)).toBeLessThan(36);
});
