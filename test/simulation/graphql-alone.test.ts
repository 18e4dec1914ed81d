import { expect, it } from 'vitest';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const REST_CLOSED = { not_found: { paths: ['/metrics/products/*', '/analytics/*'] } };

const JUDGED = [
  'edge_up',
  'edge_waf_blocked_at_least_per_minute',
  'edge_waf_threats_total',
  'edge_responses_at_least_per_minute',
  'edge_responses_per_minute',
  'edge_requests_total',
  'edge_data_transferred_bytes_total',
  'edge_bandwidth_bytes_per_second',
  'edge_requests_offload_ratio',
  'edge_expected_age_seconds',
  'edge_configuration_info',
];

let simulation: Simulation | undefined;

it('finds and reads everything by GraphQL where REST answers 404, without being configured', async () => {
  simulation = await simulate({
    sandbox: { configurations: 2, faults: REST_CLOSED },
    account: { collectors: { metrics: { products: { edge_applications: {}, load_balancer: {} } } } },
  });
  await simulation.minutes(40);
  const { log, state, sandbox } = simulation;
  const { samples } = await simulation.scrape();
  // A product without a list and without data in GraphQL causes neither a log line nor an alert.
  const listed = (product: string) =>
    samples.get(seriesKey('edge_exporter_product_listed', { account: 'test', product }));
  expect([listed('edge_applications'), listed('load_balancer')]).toEqual([1, undefined]);
  expect([...samples.keys()].filter((key) => key.includes('edge_trouble_info'))).toEqual([]);
  const names = new Set([...samples.keys()].map((key) => (JSON.parse(key) as [string])[0]));
  for (const name of JUDGED) expect(names, name).toContain(name);
  const source = [
    'edge_source_info',
    [
      ['account', 'test'],
      ['collector', 'metrics'],
      ['source', 'graphql'],
    ],
  ];
  expect(samples.get(JSON.stringify(source))).toBe(1);
  const limit = (scope: string) =>
    samples.get(seriesKey('edge_api_ratelimit_limit', { account: 'test', scope }));
  expect([limit('reads'), limit('graphql')]).toEqual([200, 20]);
  const [account] = simulation.exporter().accounts();
  const quota = account?.quota.find(({ scope }) => scope === 'graphql');
  expect(quota).toMatchObject({ limit: null, assumed_limit: 20 });
  expect(quota?.own).toBeGreaterThan(0);
  expect(quota?.own).toBeLessThan(20);
  // The reason is still the same long after the choice, and equals the one in the log.
  const why = 'REST lists no configurations, GraphQL does';
  expect(account?.sources).toEqual([{ collector: 'metrics', source: 'graphql', why, missing: [] }]);
  expect(log).toContainEqual({
    level: 'info',
    message: 'source of series',
    facts: {
      account: 'test',
      collector: 'metrics',
      source: 'graphql',
      why,
    },
  });
  // Lists that neither API has are reported; series are not.
  const warnings = log.filter(({ level }) => level !== 'info');
  for (const { facts, message } of warnings)
    expect([message, facts]).toMatchObject([
      'poll failed',
      { job: expect.stringMatching(/^discovery\//), outcome: 'not_found' },
    ]);
  const audit = auditCounters(state, sandbox);
  expect(audit.wrong).toEqual([]);
  // Two configurations with their own ids: every settled minute of 40 counted dimensions.
  expect(audit.buckets).toBeGreaterThan(2 * 35 * 25);
});

it('names no source before any has answered', async () => {
  simulation = await simulate({
    sandbox: { configurations: 1, faults: { connection_reset: {} } },
    account: {
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['waf'] } } },
        analytics: { products: { content_delivery: { metrics: ['waf'] } } },
      },
    },
  });
  await simulation.minutes(3);
  const sources = async () =>
    [...(await (simulation as Simulation).scrape()).samples.keys()].filter((key) =>
      key.includes('edge_source_info'),
    );
  expect(await sources()).toEqual([]);
  simulation.sandbox.faults.clear();
  await simulation.minutes(12);
  expect(await sources()).toEqual([expect.stringContaining('rest'), expect.stringContaining('rest')]);
});

it('reads by GraphQL once REST answers its series with 404, though it still lists configurations', async () => {
  simulation = await simulate({
    sandbox: { configurations: 2, domainsPerConfiguration: 1 },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
  });
  await simulation.minutes(20);
  simulation.sandbox.faults.set({ not_found: { paths: ['/metrics/products/*/metrics/*'] } });
  await simulation.minutes(45);
  const { samples } = await simulation.scrape();
  const source = [
    'edge_source_info',
    [
      ['account', 'test'],
      ['collector', 'metrics'],
      ['source', 'graphql'],
    ],
  ];
  expect(samples.get(JSON.stringify(source))).toBe(1);
  const audit = auditCounters(simulation.state, simulation.sandbox);
  expect(audit.wrong).toEqual([]);
  // Earlier counters continue under the same ids.
  expect(audit.oldestWatermark).toBeGreaterThan(simulation.clock.now() - 15 * 60_000);
  expect(audit.series).toBe(2 * (16 + 7));
});

it('returns to REST, which answered 404, once GraphQL does so for ten minutes, and counts every bucket once', async () => {
  simulation = await simulate({
    sandbox: { configurations: 3, domainsPerConfiguration: 1 },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
  });
  const { log, sandbox, state, clock } = simulation;
  await simulation.minutes(15);
  sandbox.faults.set({ not_found: { paths: ['/metrics/products/*/metrics/*'] } });
  await simulation.minutes(40);
  // GraphQL fails while REST is available again.
  sandbox.faults.set({ not_found: { paths: ['/metrics/graphql'] } });
  await simulation.minutes(35);
  const sources = log.flatMap(({ message, facts }) => (message === 'source of series' ? [facts] : []));
  expect(sources.slice(-2)).toMatchObject([{ source: 'graphql' }, { source: 'rest', why: 'REST answers' }]);
  const audit = auditCounters(state, sandbox);
  expect(audit.wrong).toEqual([]);
  expect(audit.oldestWatermark).toBeGreaterThan(clock.now() - 15 * 60_000);
});

it.each([
  ['answers', {}],
  ['is not there', { graphql: 'absent' }],
  ['answers 404', { notFound: true }],
] as const)(
  'reads by REST, which knows domains alone, after such an outage and a restart where GraphQL %s',
  async (_, how) => {
    const { graphql, notFound } = { graphql: undefined, notFound: false, ...how };
    simulation = await simulate({
      sandbox: { configurations: 1, domainsPerConfiguration: 2, ...(graphql && { graphql }) },
      account: {
        collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
      },
    });
    const { sandbox, clock } = simulation;
    const closed = notFound ? ['/metrics/graphql'] : [];
    await simulation.minutes(15);
    sandbox.faults.set({ not_found: { paths: ['/metrics/products/*/metrics/*', ...closed] } });
    await simulation.minutes(75);
    sandbox.faults.set(closed.length > 0 ? { not_found: { paths: closed } } : {});
    await simulation.restart();
    await simulation.minutes(35);
    const { samples } = await simulation.scrape();
    const until = [...samples].filter(([key]) => key.includes('edge_data_until_timestamp_seconds'));
    expect(until).toHaveLength(2 * 2);
    for (const [, seconds] of until) expect(seconds * 1_000).toBeGreaterThan(clock.now() - 10 * 60_000);
  },
);

it('goes on after a kill by the source that it has found', async () => {
  simulation = await simulate({
    sandbox: {
      configurations: 2,
      domainsPerConfiguration: 1,
      faults: { not_found: { paths: ['/metrics/products/*/metrics/*'] } },
    },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
  });
  const { sandbox, log } = simulation;
  // Each start tries REST once.
  const readsByRest = () =>
    sandbox.requests.recent.filter(({ path }) => path.endsWith('/metrics/waf')).length;
  await simulation.minutes(5);
  const before = readsByRest();
  expect(before).toBe(1);
  const logged = log.length;
  await simulation.restart();
  await simulation.minutes(3);
  expect(readsByRest()).toBe(2);
  expect(log.slice(logged).filter(({ message }) => message === 'source of series')).toMatchObject([
    { facts: { source: 'graphql' } },
  ]);
});

it('asks again which source answers after a platform that was away at the start', async () => {
  const series = ['/metrics/products/*/metrics/*'];
  simulation = await simulate({
    sandbox: {
      configurations: 2,
      domainsPerConfiguration: 1,
      faults: { server_error: { paths: series, status: 503 } },
    },
    account: { collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } } },
  });
  await simulation.minutes(2);
  simulation.sandbox.faults.set({ not_found: { paths: series } });
  await simulation.minutes(7);
  const { samples } = await simulation.scrape();
  expect([...samples.keys()].filter((key) => key.startsWith('["edge_waf_requests_per_minute"'))).toHaveLength(
    2,
  );
});

it('leaves out what an account has no field for, and says so', async () => {
  simulation = await simulate({
    sandbox: {
      configurations: 1,
      graphqlMissing: ['workloadMetrics.wafRequestsXssAttacks', 'workloadMetrics.requestsStatusCode404'],
    },
    account: {
      source: 'graphql',
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf', 'status_code'] } } } },
    },
  });
  await simulation.minutes(30);
  const { samples } = await simulation.scrape();
  const families = [...samples.keys()].filter((key) => key.includes('edge_waf_threats_by_family_total'));
  expect(families).toHaveLength(3);
  const codes = [...samples.keys()].filter((key) => key.startsWith('["edge_responses_total"'));
  expect(codes).toHaveLength(15);
  expect(auditCounters(simulation.state, simulation.sandbox).wrong).toEqual([]);
});
