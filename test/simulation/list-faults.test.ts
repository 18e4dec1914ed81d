import { describe, expect, it } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import type { ParsedExposition } from '../parse-exposition.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

type Faults = NonNullable<NonNullable<SimulationOptions['sandbox']>['faults']>;

const ANSWERS: Readonly<Record<string, (paths: string[]) => Faults>> = {
  404: (paths) => ({ not_found: { paths } }),
  403: (paths) => ({ forbidden: { paths } }),
  500: (paths) => ({ server_error: { status: 500, form: 'json', paths } }),
  empty: (paths) => ({ empty_answer: { form: 'list', paths } }),
};

const ANALYTICS_LISTS = ['/analytics/products/*/configurations$'];
const METRICS_LISTS = ['/metrics/products/*/configurations$'];
const APPLICATIONS = ['/edge_applications$'];

async function shown(faults: Faults = {}, collectors?: object) {
  const account = collectors === undefined ? {} : { collectors };
  simulation = await simulate({ sandbox: { configurations: 3, faults, graphql: 'absent' }, account });
  await simulation.minutes(3);
  const { value, series } = lookUp(await simulation.scrape());
  const jobs = simulation.exporter().accounts()[0]?.jobs ?? [];
  return { value, series, jobs, log: simulation.log.map(({ message, facts }) => ({ message, ...facts })) };
}

type Label = readonly [name: string, value: string];

function lookUp({ samples }: ParsedExposition) {
  const of = (family: string, label?: Label) =>
    [...samples].filter(([key]) => {
      const [name, labels] = JSON.parse(key) as [string, Label[]];
      return (
        name === family &&
        (label === undefined || labels.some((given) => given.join('=') === label.join('=')))
      );
    });
  return {
    series: (family: string, label?: Label) => of(family, label).length,
    value: (family: string, label?: Label) => of(family, label)[0]?.[1],
  };
}

async function someConfiguration(): Promise<string> {
  simulation = await simulate({
    sandbox: { configurations: 3 },
    account: { collectors: { error_responses: {} } },
  });
  await simulation.minutes(3);
  const { samples } = await simulation.scrape();
  await simulation.close();
  const key = [...samples.keys()].find((name) => name.includes('edge_error_response_cache_seconds')) ?? '';
  return /"configuration_id","([^"]+)"/.exec(key)?.[1] ?? '';
}

describe('error responses are shown', () => {
  it.each(Object.keys(ANSWERS))('where the undocumented lists of analytics answer %s', async (answer) => {
    const { series } = await shown(ANSWERS[answer]?.(ANALYTICS_LISTS), { error_responses: {} });
    expect(series('edge_error_response_cache_seconds')).toBe(3 * 7);
  });

  it.each(Object.keys(ANSWERS))(
    'where every list of configurations answers %s, by the edge applications',
    async (answer) => {
      const { series } = await shown(ANSWERS[answer]?.([...ANALYTICS_LISTS, ...METRICS_LISTS]), {
        error_responses: {},
      });
      expect(series('edge_error_response_cache_seconds')).toBe(3 * 7);
    },
  );

  it('of the configurations that are named, without any list', async () => {
    const everyList = [...ANALYTICS_LISTS, ...METRICS_LISTS, ...APPLICATIONS];
    const id = await someConfiguration();
    const { series } = await shown(ANSWERS['404']?.(everyList), {
      error_responses: { configurations: [id] },
    });
    expect(series('edge_error_response_cache_seconds', ['configuration_id', id])).toBe(7);
  });

  it('to a token with their permission and that of any one list', async () => {
    const permissions = ['View Content Delivery', 'View Security Settings'] as const;
    simulation = await simulate({
      sandbox: { configurations: 3, tokens: [{ ...DEFAULT_TOKEN, permissions }] },
      account: { collectors: { error_responses: {} } },
    });
    await simulation.minutes(3);
    expect(lookUp(await simulation.scrape()).series('edge_error_response_cache_seconds')).toBe(3 * 7);
  });

  it('not where no list is to be had, and the job says which permissions would do', async () => {
    const everyList = [...ANALYTICS_LISTS, ...METRICS_LISTS, ...APPLICATIONS];
    const { series, jobs } = await shown(ANSWERS['403']?.(everyList), { error_responses: {} });
    expect(series('edge_error_response_cache_seconds')).toBe(0);
    const job = jobs.slice().find(({ id }) => id === 'error_responses');
    expect(job?.last_outcome).toBe('forbidden');
    expect(job?.last_reason).toMatch(
      /no list of configurations can be read.*Analytics.*View Security Settings/,
    );
  });
});

it.each(['404', '403'])(
  'a product that cannot be listed (%s) is told of, and read as a whole',
  async (answer) => {
    const collectors = { analytics: { products: { content_delivery: { metrics: ['requests'] } } } };
    const { value, series } = await shown(ANSWERS[answer]?.(ANALYTICS_LISTS), collectors);
    expect(value('edge_exporter_product_listed', ['product', 'content_delivery'])).toBe(0);
    expect(series('edge_product_requests_per_minute', ['product', 'content_delivery'])).toBe(1);
    expect(series('edge_requests_per_minute')).toBe(0);
  },
);

it('names that match no configuration are counted by product', async () => {
  const configurations = { include: ['no-such-*'] };
  const { value } = await shown({}, { metrics: { products: { edge_applications: { configurations } } } });
  expect(value('edge_exporter_product_listed', ['product', 'edge_applications'])).toBe(1);
  expect(value('edge_exporter_unmatched_configurations', ['product', 'edge_applications'])).toBe(1);
});

describe('without a configuration every metric that a product serves is read', () => {
  it('those that the catalogue gives to other products included, and what is not served is asked for once', async () => {
    const { series, jobs } = await shown({}, { analytics: { products: { cloud_storage: {} } } });
    expect(series('edge_used_space_bytes', ['product', 'cloud_storage'])).toBeGreaterThan(0);
    expect(series('edge_requests_per_minute', ['product', 'cloud_storage'])).toBeGreaterThan(0);
    const outcomes = jobs
      .slice()
      .filter(({ product }) => product === 'cloud_storage')
      .map(({ last_outcome }) => last_outcome);
    expect(outcomes).not.toContain('not_found');
  });

  it('and what the platform lists no more is not asked for', async () => {
    simulation = await simulate({
      sandbox: { configurations: 3, analyticsMetricsMissing: ['used_space'] },
      account: { collectors: { analytics: { products: { cloud_storage: {} } } } },
    });
    await simulation.minutes(3);
    const jobs = simulation.exporter().accounts()[0]?.jobs ?? [];
    expect(jobs.slice().filter(({ metric }) => metric === 'used_space')).toEqual([]);
  });
});

it.each([
  ['server_error', { server_error: { status: 500 } }],
  ['rate_limited', { rate_limited: {} }],
] as const)(
  'a list that fails by GraphQL (%s), which is in use, is told as that and read again soon, though REST answers 404',
  async (outcome, fault) => {
    const [name, settings = {}] = Object.entries(fault)[0] ?? [''];
    const closed = { not_found: { paths: [...METRICS_LISTS, ...ANALYTICS_LISTS] } };
    simulation = await simulate({
      sandbox: {
        configurations: 2,
        faults: { ...closed, [name]: { ...settings, paths: ['/metrics/graphql'] } },
      },
      account: { source: 'graphql', collectors: { metrics: { products: { edge_applications: {} } } } },
    });
    const { exporter, sandbox } = simulation;
    const lastOutcome = () =>
      exporter()
        .accounts()[0]
        ?.jobs.slice()
        .find(({ id }) => id === 'discovery/metrics/edge_applications')?.last_outcome;
    await simulation.minutes(1);
    expect(lastOutcome()).toBe(outcome);
    sandbox.faults.set(closed);
    await simulation.minutes(3);
    expect(lastOutcome()).toBe('ok');
    expect(lookUp(await simulation.scrape()).value('edge_up')).toBe(1);
  },
);
