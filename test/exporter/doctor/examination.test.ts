import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { PERMISSIONS } from '../../../src/sandbox/http/token-store.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { served } from '../../served.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { type Handler, sendJson, startUpstream } from '../platform/upstream.ts';
import { type Case, diagnose, examined } from './diagnosis.ts';

const REST = 'everything else';
const APPLICATIONS = 'edge_applications';
const without = (missing: string) => PERMISSIONS.filter((permission) => permission !== missing);
const permitted = (permissions: readonly (typeof PERMISSIONS)[number][]) => ({
  tokens: [{ token: 'sandbox-token', permissions }],
});
const notFound = (...paths: string[]) => ({ faults: { not_found: { paths } } });
const forbidden = (...paths: string[]) => ({ faults: { forbidden: { paths } } });
const collecting = (products: object) => ({ collectors: { metrics: { products } } });
const reads = (limit: number) => ({ rateLimit: { reads: limit, writes: 10, purges: 10 } });

const taking =
  (operations: number): NonNullable<Case['before']> =>
  async (_sandbox, url) => {
    const headers = { accept: 'application/json; version=1', authorization: 'Token sandbox-token' };
    for (let read = 0; read < operations; read += 1) await fetch(`${url}/analytics/metadata`, { headers });
  };

type Status = 'ok' | 'warning' | 'problem' | 'skipped' | 'absent';

type Expected = Readonly<Record<string, readonly [Status, (string | RegExp)?]>>;

const IS_API: Expected = { API: ['ok', 'it is the API'] };

const CASES: Readonly<Record<string, readonly [Case, Expected]>> = {
  'names that cannot be read of what GraphQL lists': [
    {
      account: collecting({ [APPLICATIONS]: { metrics: ['waf'] } }),
      sandbox: {
        faults: {
          not_found: { paths: ['/metrics/products/*', '/analytics/*'] },
          forbidden: { paths: ['/edge_applications'] },
        },
        configurations: 2,
      },
    },
    {
      [APPLICATIONS]: [
        'warning',
        /2 found, 2 read; .*names of configurations \(\/edge_applications\): HTTP 403: Forbidden: ids stand for names$/,
      ],
    },
  ],
  'a bad token': [
    { account: { token: 'not-a-token-of-this-platform' } },
    {
      token: [
        'problem',
        /^the configured token is refused \(HTTP 401: Invalid token\.\)\. Renew the credentials\./,
      ],
      [REST]: ['skipped', 'not checked: the platform requires a valid token'],
    },
  ],
  'a wrong password': [
    { account: { token: undefined, username: 'operator@example.com', password: 'wrong-password' } },
    {
      token: [
        'problem',
        /^no token could be created for operator@example\.com: HTTP 401.* Check username and its/,
      ],
      [REST]: ['skipped', 'not checked: there is no token'],
    },
  ],
  'a token file that is not there': [
    { account: { token: undefined, token_file: '/nowhere/token' } },
    { token: ['problem', /^there is no token to send: .*no such file/] },
  ],
  'no permission to read series': [
    { sandbox: permitted(without('Analytics')) },
    {
      [APPLICATIONS]: ['problem', /HTTP 403: Forbidden; grant Analytics to the token's user/],
      domains: ['ok', 'View Domains is granted: '],
      judgement: ['problem', 'the token lacks the permission Analytics'],
    },
  ],
  'no permission to read domains': [
    { sandbox: permitted(without('View Domains')) },
    {
      domains: [
        'problem',
        /needs the permission View Domains.*HTTP 403: Forbidden; grant View Domains to the token's user/,
      ],
      [APPLICATIONS]: ['ok'],
    },
  ],
  'a clock that is three hours behind': [
    { clock: new SimulatedClock(), sandbox: { faults: { clock_skew: { ms: 3 * 3_600_000 } } } },
    {
      clock: ['problem', 'is 3 h behind the platform’s. Set this machine’s clock (NTP)'],
      [APPLICATIONS]: ['ok'],
    },
  ],
  'a clock that is a minute and a half ahead': [
    { clock: new SimulatedClock(), sandbox: { faults: { clock_skew: { ms: -90_000 } } } },
    { clock: ['problem', 'is 1 min 30 s ahead of the platform’s'], [APPLICATIONS]: ['ok'] },
  ],
  'a clock that is hardly off': [
    { clock: new SimulatedClock(), sandbox: { faults: { clock_skew: { ms: 20_000 } } } },
    { clock: ['ok', 'this machine and the platform agree'] },
  ],
  'an exhausted quota': [
    { clock: new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10)), sandbox: reads(10), before: taking(10) },
    {
      token: ['skipped', 'not checked: HTTP 429: Request was throttled.'],
      quota: ['problem', /^reads: refused \(429\) until 12:01(:1\d)? UTC; the token has other clients/],
      [REST]: ['skipped', 'not checked: the quota is used up: run doctor again after its reset'],
    },
  ],
  'a quota that others have nearly used up': [
    { clock: new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10)), sandbox: reads(10), before: taking(7) },
    {
      token: ['ok'],
      'the source of series': [
        'problem',
        /cannot be read: the quota of reads is used up until 12:01:1\d UTC, for 1 min/,
      ],
      domains: ['skipped', 'not read'],
      plan: ['absent'],
    },
  ],
  'a quota of which others have taken most': [
    { clock: new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10)), sandbox: reads(100), before: taking(60) },
    { quota: ['warning', 'other clients of the token have taken 60: polls will wait'] },
  ],
  'no rate limit headers': [
    { sandbox: { rateHeaders: 'absent' } },
    { quota: ['warning', /^reads: 60 operations per minute are assumed; .*quota\.assumed_limit applies$/] },
  ],
  'more work than the quota allows': [
    { sandbox: { rateLimit: { reads: 12, writes: 1, purges: 1 } } },
    {
      plan: [
        'warning',
        /^12\.\d operations per minute of reads are needed, 9 are available: intervals will stretch; edge-exporter plan shows which, and what would help$/,
      ],
    },
  ],
  'a web page in place of the API': [
    { sandbox: { faults: { html_error: {} } } },
    {
      API: ['problem', /^answers 400 with HTML, unlike the platform's API: is api_url right\?$/],
      [REST]: ['skipped', 'not checked: the server is not the API'],
    },
  ],
  'an answer that cannot be decoded': [
    { sandbox: { faults: { malformed_body: { paths: ['/metrics/*status_code'] } } } },
    {
      [APPLICATIONS]: ['warning', /^status_code of shop cannot be read: the answer is not JSON/],
      'the source of series': ['problem', 'it cannot be read: the answer is not JSON'],
    },
  ],
  'rows that make no sense': [
    { sandbox: { faults: { wrong_types: { share: 0.2, kinds: ['string_value', 'null_value'] } } } },
    { [APPLICATIONS]: ['warning', /; \d+ of \d+ rows make no sense/] },
  ],
  'a configuration that selects nothing': [
    { account: collecting({ [APPLICATIONS]: { configurations: { include: ['no-such-*'] } } }) },
    {
      [APPLICATIONS]: [
        'warning',
        /6 found, 0 read; none is both active and selected.*; nothing matches "no-such-\*" of configurations\.include/,
      ],
      judgement: ['problem', 'has no data yet: the platform has no configuration called'],
    },
  ],
  'configurations that are excluded, all of them': [
    { account: collecting({ [APPLICATIONS]: { configurations: { exclude: ['*'] } } }) },
    {
      [APPLICATIONS]: [
        'warning',
        'none is both active and selected: look at configurations.include and exclude',
      ],
      judgement: ['problem', 'has no data yet: the platform lists no active configurations to collect'],
    },
  ],
  'names that match no configuration, beside some that do': [
    {
      account: collecting({
        [APPLICATIONS]: { configurations: { include: ['shop', 'shpo', 'old-*'], exclude: ['gone'] } },
        edge_functions: {},
      }),
    },
    {
      [APPLICATIONS]: [
        'warning',
        /6 found, 2 read; .*nothing matches "shpo", "old-\*" of configurations\.include$/,
      ],
      edge_functions: ['ok'],
    },
  ],
  'no collector is switched on': [
    { account: { reconciliation_share: 0, collectors: {} } },
    { [REST]: ['skipped', 'not checked: no collector is enabled'] },
  ],
  'a product that the platform does not know': [
    { sandbox: { graphql: 'absent', ...notFound('/metrics/products/*/configurations$') } },
    {
      ...IS_API,
      token: ['ok'],
      [APPLICATIONS]: ['problem', 'its list of configurations cannot be read: HTTP 404'],
    },
  ],
  'a product that only GraphQL lists': [
    { sandbox: notFound('/metrics/products/*') },
    { [APPLICATIONS]: ['ok', 'its data is '], 'source of metrics': ['ok', 'GraphQL, at http://'] },
  ],
  'series of whole products that only GraphQL answers': [
    {
      sandbox: notFound('/metrics/products/*', '/analytics/'),
      account: { collectors: { analytics: { products: { content_delivery: { by: ['product'] } } } } },
    },
    {
      ...IS_API,
      'source of analytics': ['ok', 'GraphQL, at http://'],
      content_delivery: ['ok', 'its data is '],
    },
  ],
  'an API of which only GraphQL answers': [
    {
      sandbox: { faults: { not_found: { methods: ['GET'] } } },
      account: { collectors: { metrics: {}, analytics: {}, domains: {} } },
    },
    {
      ...IS_API,
      'source of metrics': ['ok', 'GraphQL, at http://'],
      [APPLICATIONS]: ['warning', /its data is .*: ids stand for names$/],
      domains: ['problem', 'it cannot be read: HTTP 404'],
    },
  ],
  'an account of GraphQL alone': [
    {
      sandbox: notFound('/metrics/products/*', '/analytics/*'),
      account: { collectors: { metrics: {}, domains: {} } },
    },
    {
      products: [
        'warning',
        'GraphQL has none of the metrics of live_streaming, load_balancer: nothing of them is read',
      ],
      load_balancer: ['absent'],
      edge_functions: ['ok'],
      // Operations that all metrics of a dataset share count once: two for traffic, one for each other
      // dataset, and the comparisons.
      plan: ['ok', '; 8.2 operations per minute of graphql are needed'],
    },
  ],
  'what only GraphQL has, and what of it the account lacks': [
    {
      sandbox: { graphqlMissing: ['workloadMetrics.geolocCountryName', 'workloadMetrics.requestTime'] },
      account: collecting({
        [APPLICATIONS]: { metrics: ['waf', 'requests_by_host', 'requests_by_country', 'request_duration'] },
      }),
    },
    {
      [APPLICATIONS]: [
        'warning',
        /^requests_by_country of \S+ cannot be read: .*workloadMetrics has none of .*requestTime/,
      ],
    },
  ],
  'lists that are all not there': [
    { sandbox: notFound('/metrics/', '/analytics/') },
    {
      [APPLICATIONS]: ['problem', /^its list of configurations cannot be read: HTTP 404: Not found\.$/],
      domains: ['ok'],
      error_responses: ['ok', /^View Content Delivery is granted: /],
    },
  ],
  'one product refused beside others': [
    { sandbox: forbidden('/metrics/products/*/configurations$') },
    { [APPLICATIONS]: ['problem', /HTTP 403.*Analytics is granted, since another read needs it/] },
  ],
  'settings of one kind refused beside others of the same permission': [
    {
      account: { collectors: { digital_certificates: {}, firewall_rulesets: {} } },
      sandbox: forbidden('/digital_certificates'),
    },
    {
      firewall_rulesets: ['ok', /^View Security Settings is granted: /],
      digital_certificates: [
        'problem',
        'View Security Settings is granted, since another read needs it: does the account have the product?',
      ],
    },
  ],
  'error responses without any list': [
    { sandbox: permitted(['View Content Delivery', 'View Domains']) },
    {
      error_responses: [
        'problem',
        /those of products need the permission Analytics, \/edge_applications needs View Security Settings \(HTTP 403: \S+\)$/,
      ],
    },
  ],
  'error responses by the list of edge applications': [
    { sandbox: permitted(['View Content Delivery', 'View Security Settings', 'View Domains']) },
    {
      [APPLICATIONS]: ['problem', 'grant Analytics'],
      error_responses: ['ok', /^View Content Delivery is granted: /],
    },
  ],
  'empty lists': [
    { sandbox: { configurations: 0 } },
    { judgement: ['problem', 'has no data yet: the platform lists no active configurations to collect'] },
  ],
  'one metric refused': [
    { sandbox: forbidden('/metrics/products/*/metrics/waf*') },
    {
      [APPLICATIONS]: ['warning', /^waf of shop cannot be read: HTTP 403/],
      judgement: ['warning', 'is fresh in part: the token may not read waf of edge_applications: HTTP 403'],
    },
  ],
  'rows that are missing at random': [
    { sandbox: { faults: { missing_rows: { share: 0.3 } } } },
    { judgement: ['warning', '% of the buckets of edge_applications are missing in the platform’s answers'] },
  ],
};

it.each(Object.entries(CASES))('%s', async (_, [given, expected]) => {
  const { of, steps } = await diagnose(given);
  for (const [name, [status, text = '']] of Object.entries(expected)) {
    const step = of(name) ?? { status: 'absent', text: '' };
    expect([name, step.status, step.text]).toEqual([
      name,
      status,
      typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
    ]);
  }
  // If the case expects no problem, no step may report one.
  if (Object.values(expected).every(([status]) => status !== 'problem'))
    expect(steps.filter(({ status }) => status === 'problem')).toEqual([]);
  expect(JSON.stringify(steps)).not.toMatch(/not-a-token-of-this-platform|wrong-password/);
});

it('finds nothing wrong with a good account, and tells what it has seen', async () => {
  const { steps, sandbox, of } = await diagnose({ clock: new SimulatedClock() });
  expect(steps.filter(({ status }) => status !== 'ok').map(({ step }) => step)).toEqual(['TLS']);
  expect(of('token')?.text).toBe('the configured token is accepted; its expiry is unknown');
  expect(of('quota')?.text).toBe(
    'reads: 200 operations per minute, 191 left in this window; 20% are reserved',
  );
  expect(of(APPLICATIONS)?.text).toBe(
    'Analytics is granted: 6 found, 6 read; status_code of shop has 16 dimensions, its data is 2 min 1 s old',
  );
  expect(of('content_delivery')?.text).toBe('Analytics is granted: 3 found, for the settings of each');
  expect(of('domains')?.text).toMatch(/^View Domains is granted: \d+ series from the first read$/);
  // Requests: two lists, one to find the kind of ids, two reads of series, and one for each kind of settings.
  expect(sandbox.requests.total).toBeLessThanOrEqual(9);
});

it('names the metrics that are absent without a permission, and no others', async () => {
  const { of } = await diagnose({ sandbox: permitted(without('Analytics')) });
  expect(of(APPLICATIONS)?.absent).toEqual(
    expect.arrayContaining(['edge_responses_per_minute', 'edge_responses_total', 'edge_waf_threats_total']),
  );
  expect(of(APPLICATIONS)?.absent).not.toContain('edge_requests_total');
  const domains = await diagnose({ sandbox: permitted(without('View Domains')) });
  expect(domains.of('domains')?.absent).toContain('edge_domain_info');
});

it('a user name and a password: the token is created, its life told, and given back', async () => {
  const { sandbox, of } = await diagnose({
    clock: new SimulatedClock(),
    account: { token: undefined, username: 'operator@example.com', password: 'sandbox' },
  });
  expect(of('token')?.text).toBe(
    'a token created for the configured user is accepted; it expires in 1 d and is renewed before',
  );
  expect(Object.fromEntries(sandbox.requests.byMethod)).toMatchObject({ POST: 1, DELETE: 1 });
});

it('asks nothing more once the quota is used up', async () => {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10));
  const spent = await diagnose({ clock, sandbox: reads(10), before: taking(10) });
  expect(spent.sandbox.requests.byStatus.get(429)).toBe(1);
  const nearly = await diagnose({ clock, sandbox: reads(10), before: taking(7) });
  expect(nearly.sandbox.requests.byStatus.get(429)).toBeUndefined();
});

it.each<[string, Handler, string]>([
  ['a web page', (_, response) => response.writeHead(404).end('<title>Not Found</title>'), 'answers 404'],
  [
    'a document of its own',
    (_, response) => sendJson(response, { status: 'ok' }),
    'the list of configurations is an object without results',
  ],
  [
    'a redirect to another',
    (_, response) => response.writeHead(302, { location: 'https://login.example.net/' }).end(),
    'redirect to another origin (login.example.net) refused',
  ],
  [
    'JSON that it knows nothing',
    (_, response) => sendJson(response, { detail: 'Not Found' }, { status: 404 }),
    'answers 404 with JSON',
  ],
])('a server that answers everything with %s: it is not the API', async (_, handler, reason) => {
  const { origin } = await startUpstream(handler);
  for (const given of [{}, { token: undefined, username: 'operator', password: 'p4ssw0rd' }]) {
    const { of } = await diagnose({ account: { api_url: origin, ...given } });
    expect(of('API')).toMatchObject({
      status: 'problem',
      text: expect.stringMatching(/: is api_url right\?$/),
    });
    expect(of('token')).toBeUndefined();
  }
  const { of } = await diagnose({ account: { api_url: origin } });
  expect(of('API')?.text).toContain(reason);
});

it('a wrong path on the platform itself: the path of the address is doubted first', async () => {
  const { url, close } = await createSandbox().listen(0);
  onTestFinished(close);
  const { of } = await diagnose({ account: { api_url: `${url}/v9` } });
  expect(of('API')?.text).toMatch(
    /^nothing is found at this address: HTTP 404: .* Check the path in api_url: the platform answers every request below it with 404\.$/,
  );
  expect(of('token')).toBeUndefined();
});

it('a page that answers 429: the limit, and not the address', async () => {
  const server = createServer((_, response) =>
    response.writeHead(429, { 'content-type': 'text/html' }).end('<title>Slow down</title>'),
  );
  const steps = await examined({ api_url: `http://127.0.0.1:${await served(server)}`, token: 'token' });
  expect(steps.filter(({ status }) => status === 'problem').map(({ step }) => step)).toEqual(['quota']);
  expect(steps.at(-1)?.text).toContain('the quota is used up');
});
