import { beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTS, type Product, type SeriesApi } from '../../src/exporter/catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../../src/exporter/collectors.ts';
import type { AccountStatus } from '../../src/exporter/status-document.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { page, words } from '../exporter/page/rendered.ts';
import { inLongSuite } from '../long-suite.ts';
import { seriesKey } from '../parse-exposition.ts';
import { LIST_PATHS } from '../sandbox/list-paths.ts';
import { type Simulation, type SimulationOptions, simulate } from './simulation.ts';

type Faults = NonNullable<NonNullable<SimulationOptions['sandbox']>['faults']>;

const ANSWERS: readonly (readonly [string, string, (paths: string[]) => Faults])[] = [
  ['404', 'not_found', (paths) => ({ not_found: { paths } })],
  ['403', 'forbidden', (paths) => ({ forbidden: { paths } })],
  ['500', 'server_error', (paths) => ({ server_error: { status: 500, form: 'json', paths } })],
  ['empty', 'empty', (paths) => ({ empty_answer: { form: 'list', paths } })],
];

const productsOf = (api: SeriesApi) => ({
  schedule: '*/5 * * * *',
  products: Object.fromEntries(
    PRODUCTS.filter((product) => product.api === api).map(({ slug, metrics }) => [
      slug,
      // All metrics of cloud storage that the platform's metadata list.
      slug === 'cloud_storage' ? {} : { metrics: metrics.slice(0, 1) },
    ]),
  ),
});

const SETTINGS_COLLECTORS = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));

const PARTS = {
  settings: {
    ...SETTINGS_COLLECTORS,
    metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } },
  },
  analytics: { analytics: productsOf('analytics'), error_responses: {}, domains: {} },
  metrics: { metrics: productsOf('metrics'), error_responses: {}, domains: {} },
  all: { ...SETTINGS_COLLECTORS, analytics: productsOf('analytics'), metrics: productsOf('metrics') },
} as const;

type Part = keyof typeof PARTS;

function partOf(path: string): Part {
  if (path.startsWith('/analytics/')) return 'analytics';
  return path.startsWith('/metrics/') ? 'metrics' : 'settings';
}

interface Shown {
  /** Series of the platform, without the exporter's own series. */
  readonly series: ReadonlySet<string>;
  readonly value: (family: string, labels: Readonly<Record<string, string>>) => number | undefined;
  readonly jobs: AccountStatus['jobs'];
  readonly log: Simulation['log'];
  readonly page: string;
}

async function shown(part: Part, faults: Faults = {}): Promise<Shown> {
  const simulation = await simulate({
    sandbox: {
      configurations: 1,
      domainsPerConfiguration: 1,
      faults,
      // The platform has no GraphQL, which could list the configurations if REST does not.
      graphql: 'absent',
      rateLimit: { reads: 1_000, writes: 20, purges: 20 },
    },
    account: { reconciliation_share: 0, collectors: PARTS[part] },
  });
  try {
    // If another source may replace the resource, a 404 is reported after the second one.
    await simulation.minutes(3);
    const { samples } = await simulation.scrape();
    const accounts = simulation.exporter().accounts();
    return {
      // The account's id depends on its address, which is different in each simulation.
      series: new Set(
        [...samples.keys()].filter((key) => !/^\["edge_(exporter_|api_|token_|account_info")/.test(key)),
      ),
      value: (family, labels) => samples.get(seriesKey(family, { account: 'test', ...labels })),
      jobs: accounts[0]?.jobs ?? [],
      log: simulation.log,
      page: words(page(madeUpStatus({ accounts }))),
    };
  } finally {
    await simulation.close();
  }
}

const SETTINGS: Readonly<Record<string, CollectorName>> = {
  '/domains': 'domains',
  '/digital_certificates': 'digital_certificates',
  '/edge_applications': 'edge_applications',
  '/edge_functions': 'edge_functions',
  '/edge_firewall': 'edge_firewalls',
  '/edge_firewall/rulesets': 'firewall_rulesets',
  '/waf/rulesets': 'waf_rulesets',
  '/network_lists': 'network_lists',
  '/intelligent_dns': 'hosted_zones',
  '/intelligent_dns/40960/records': 'hosted_zones',
};

type Labels = Readonly<Record<string, string>>;

interface Brought {
  readonly job: string;
  readonly collector: string;
  brings(family: string, labels: Labels): boolean;
}

function broughtBy(path: string): Brought {
  if (path === '/analytics/metadata') return METADATA;
  const collector = SETTINGS[path];
  if (collector === undefined) return productBroughtBy(path);
  const families = new Set(COLLECTORS[collector].families.map(({ name }) => name));
  const brings = path.endsWith('/records')
    ? (family: string, { zone_id = '' }: Labels) => /^edge_zone_record/.test(family) && zone_id === '40960'
    : (family: string) => families.has(family);
  return { job: collector, collector, brings };
}

const METADATA: Brought = {
  job: 'discovery/analytics/metadata',
  collector: 'discovery',
  brings: (family, { product, metric }) =>
    product === 'cloud_storage' &&
    metric !== 'used_space' &&
    !/^edge_(used_space|configuration)/.test(family),
};

function productAt(path: string): Product | undefined {
  const [, api, id] = /^\/(analytics|metrics)\/products\/(\d+)\/configurations$/.exec(path) ?? [];
  return PRODUCTS.find((one) => one.api === api && String(one.id) === id);
}

function productBroughtBy(path: string): Brought {
  const product = productAt(path);
  if (product === undefined) throw new Error(`${path} lists no product`);
  return {
    job: `discovery/${product.api}/${product.slug}`,
    collector: 'discovery',
    // Other lists also contain the ids of error responses.
    brings: (family, labels) =>
      labels['product'] === product.slug && !/^edge_(error_response|product_)/.test(family),
  };
}

function readKey(key: string): readonly [family: string, labels: Labels] {
  const [family, labels] = JSON.parse(key) as [string, [string, string][]];
  return [family, Object.fromEntries(labels)];
}

const isOfThePlan = (key: string) =>
  /^\["edge_(expected_age_seconds|configurations|data_available|missing_buckets_ratio)"/.test(key);

/** True for network lists that the platform has but does not list (section 2.7). */
const isUnlisted = (key: string) => ['2', '187'].includes(readKey(key)[1]['network_list_id'] ?? '');

const ofAWhole = (series: ReadonlySet<string>, product: Product) =>
  [...series].filter((key) => {
    const [family, labels] = readKey(key);
    return family.startsWith('edge_product_') && labels['product'] === product.slug;
  });

const well = new Map<Part, Shown>();

beforeAll(async () => {
  for (const part of ['settings', 'analytics', 'metrics'] as const) well.set(part, await shown(part));
});

function wellShown(path: string): Shown {
  const found = well.get(partOf(path));
  if (found === undefined) throw new Error(`${path} was not simulated`);
  return found;
}

it('where all lists are well, each brings something, everything is ok, and nothing is told', () => {
  for (const { jobs, log, page } of well.values()) {
    expect(jobs.slice().filter(({ last_outcome }) => last_outcome !== 'ok')).toEqual([]);
    expect(log.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(page).toContain('test is fresh');
  }
  const idle = LIST_PATHS.filter(([path]) => {
    const { brings } = broughtBy(path);
    return ![...wellShown(path).series].some((key) => brings(...readKey(key)));
  });
  expect(idle).toEqual([]);
});

function expectNothingElseLost(path: string, series: ReadonlySet<string>): void {
  const { brings } = broughtBy(path);
  const before = wellShown(path).series;
  const lost = [...before].filter((key) => !series.has(key));
  expect(lost.filter((key) => !brings(...readKey(key)))).toEqual([]);
  expect(lost.length).toBeGreaterThan(0);
  const left = [...series].filter((key) => before.has(key) && brings(...readKey(key)));
  expect(left.filter((key) => !isOfThePlan(key) && !isUnlisted(key))).toEqual([]);
}

function expectListing(product: Product, { series, value }: Shown, answer: string): void {
  const isEmpty = answer === 'empty';
  const { slug } = product;
  expect(value('edge_exporter_product_listed', { product: slug })).toBe(isEmpty ? 1 : 0);
  expect(value('edge_exporter_unmatched_configurations', { product: slug })).toBe(isEmpty ? 0 : undefined);
  if (product.api === 'analytics')
    expect(ofAWhole(series, product).length > 0).toBe(answer === '404' || answer === '403');
}

function expectPolled(path: string, { jobs, value, page }: Shown, outcome: string): void {
  const { job: id, collector } = broughtBy(path);
  expect(jobs.slice().find((job) => job.id === id)?.last_outcome).toBe(outcome);
  expect(value('edge_exporter_polls_total', { collector, outcome })).toBeGreaterThan(0);
  expect(page).toContain('test is fresh');
}

function expectFailureTold(path: string, { jobs, log, page }: Shown, answer: string): void {
  const { job: id } = broughtBy(path);
  const reason = jobs.slice().find((job) => job.id === id)?.last_reason ?? '';
  expect(reason).toContain(`HTTP ${answer}`);
  expect(page).toMatch(/is fresh in part: .* 1 of \d+ jobs fails/);
  expect(page).toContain(`HTTP ${answer}`);
  // A failing server is reported only if it continues to fail.
  if (answer !== '500') expect(warningsOf(log)).toMatchObject([{ job: id, reason }]);
}

function expectZoneTold(now: Shown, answer: string): void {
  expectPolled('/intelligent_dns', now, 'ok');
  const dropped = { job: 'hosted_zones', reason: 'bad_item', rows: 1 };
  expect(warningsOf(now.log)).toMatchObject(answer === 'empty' ? [] : [dropped]);
}

function warningsOf(log: Shown['log']): readonly object[] {
  return log.filter(({ level }) => level !== 'info').map(({ facts }) => facts);
}

/**
 * Returns all lists in the long suite. Otherwise each list gets half of the answers, and each answer applies
 * to half of the lists of every API.
 */
function listsThatAnswer(answer: string): readonly string[] {
  const way = ANSWERS.findIndex(([name]) => name === answer);
  const paths = LIST_PATHS.map(([path]) => path);
  return paths.filter((_, index) => inLongSuite(true, index % 2 === way % 2));
}

describe.each(ANSWERS)('a list that answers %s', (answer, outcome, faults) => {
  it.each(listsThatAnswer(answer))('%s costs what only it brings, and is told', async (path) => {
    const now = await shown(partOf(path), faults([`${path}$`]));
    expectNothingElseLost(path, now.series);
    expect(now.value('edge_up', {})).toBe(1);
    const product = productAt(path);
    if (product !== undefined) expectListing(product, now, answer);
    if (path.endsWith('/records')) expectZoneTold(now, answer);
    else if (path === '/network_lists' && answer === 'empty') expectPolled(path, now, 'ok');
    else {
      expectPolled(path, now, outcome);
      if (answer !== 'empty') expectFailureTold(path, now, answer);
    }
  });

  it('together with all others leaves what needs no list, and all of it is told', async () => {
    const everything = faults(LIST_PATHS.map(([path]) => `${path}$`));
    const { series, value, jobs, log, page } = await shown('all', everything);
    const isClosed = answer === '404' || answer === '403';
    const failing = answer !== 'empty';
    for (const product of PRODUCTS) {
      const whole = product.api === 'analytics' && isClosed;
      expect([product.slug, ofAWhole(series, product).length > 0]).toEqual([product.slug, whole]);
      expect(value('edge_exporter_product_listed', { product: product.slug })).toBe(failing ? 0 : 1);
    }
    const lists = jobs
      .slice()
      .filter(
        ({ collector, id }) =>
          collector in COLLECTORS || (collector === 'discovery' && !id.endsWith('/source')),
      );
    const others = lists.filter(({ last_outcome }) => last_outcome !== outcome).map(({ id }) => id);
    // The platform has network lists that it does not list.
    expect(others).toEqual(failing ? [] : ['network_lists']);
    expect(value('edge_up', {})).toBe(answer === '500' ? 0 : 1);
    const warnings = log.filter(({ level }) => level !== 'info').map(({ message }) => message);
    if (isClosed) {
      expect(page).toMatch(/test is fresh in part: .* 24 of \d+ jobs fail/);
      expect(warnings).toEqual(lists.map(() => 'poll failed'));
    } else if (failing) {
      expect(page).toContain('test has no data yet: the platform answers 500');
      expect(page).toContain('The platform is at fault');
      expect(warnings).toEqual(['polling the platform fails']);
    } else {
      expect(page).toContain('test is fresh');
      expect(warnings).toEqual([]);
    }
  });
});
