import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { PERMISSIONS } from '../../../src/sandbox/http/token-store.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { served } from '../../served.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { type Handler, sendJson, startUpstream } from '../platform/upstream.ts';
import { type Case, diagnose, examined } from './diagnosis.ts';

const REST = 'everything else';
const without = (missing: string) => PERMISSIONS.filter((permission) => permission !== missing);

it('finds nothing wrong with a good account, and tells what it has seen', async () => {
  const { steps, sandbox, of } = await diagnose({ clock: new SimulatedClock() });
  expect(steps.filter(({ status }) => status === 'problem' || status === 'warning')).toEqual([]);
  expect(of('token')?.text).toBe('the configured token is accepted; its expiry is unknown');
  expect(of('clock')?.text).toBe('this machine and the platform agree');
  expect(of('quota')?.text).toBe(
    'reads: 200 operations per minute, 191 left in this window; 160 may be used, 20% are reserved',
  );
  expect(of('list of edge_applications')?.text).toBe('6 found, 6 read');
  expect(of('list of content_delivery')?.text).toBe('3 found, for the settings of each');
  expect(of('read of metrics')?.text).toBe(
    'status_code of shop: 16 dimensions in buckets of 1 min, the newest shown closed 2 min 1 s ago',
  );
  expect(of('domains')?.text).toMatch(/^View Domains is granted: \d+ series from the first read$/);
  expect(of('plan')?.status).toBe('ok');
  // Two lists and the finding of an address, two reads of series and one of each kind of settings.
  expect(sandbox.requests.total).toBeLessThanOrEqual(9);
});

it('all metrics of analytics: how many are listed, and what the plan does not know yet', async () => {
  const account = { collectors: { analytics: { products: { cloud_storage: {} } } } };
  const { of } = await diagnose({ account });
  expect(of('read of analytics')?.text).toMatch(/^used_space of /);
  expect(of('metrics of analytics')).toMatchObject({ status: 'ok', text: '16 listed' });
  expect(of('plan')?.status).toBe('ok');
  expect(of('plan')?.text).toMatch(
    /^at least \d.* are available; products may have 15 more of the listed metrics: edge-exporter plan finds out$/,
  );
  const unlisted = await diagnose({ account, sandbox: { faults: { empty_answer: { form: 'list' } } } });
  expect(unlisted.of('metrics of analytics')).toMatchObject({
    status: 'warning',
    text: 'the platform lists none: those that are documented are read',
  });
  expect(unlisted.of('plan')?.text).not.toContain('at least');
});

it('names that cannot be read of what GraphQL lists are said with its list', async () => {
  const account = { collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } } };
  const faults = {
    not_found: { paths: ['/metrics/products/*', '/analytics/*'] },
    forbidden: { paths: ['/edge_applications'] },
  };
  const { of } = await diagnose({ account, sandbox: { faults, configurations: 2 } });
  expect(of('list of edge_applications')).toMatchObject({
    status: 'warning',
    text: '2 found, 2 read; names of configurations (/edge_applications): HTTP 403: Forbidden: ids stand for names',
  });
});

it('a bad token: what is wrong with it and what to do', async () => {
  const { steps, of } = await diagnose({ account: { token: 'not-a-token-of-this-platform' } });
  expect(of('token')).toEqual({
    step: 'token',
    status: 'problem',
    text: 'the configured token is refused (HTTP 401: Invalid token.): it has expired, was revoked or is not one of this platform: create another',
  });
  expect(of(REST)?.text).toBe('not checked: the platform requires a valid token');
  expect(JSON.stringify(steps)).not.toContain('not-a-token-of-this-platform');
});

it('a wrong password: no token can be created', async () => {
  const { steps, of } = await diagnose({
    account: { token: undefined, username: 'operator@example.com', password: 'wrong-password' },
  });
  expect(of('token')?.status).toBe('problem');
  expect(of('token')?.text).toMatch(
    /^no token could be created for operator@example\.com: HTTP 401.*; are username and password right\?$/,
  );
  expect(of(REST)?.text).toBe('not checked: there is no token');
  expect(JSON.stringify(steps)).not.toContain('wrong-password');
});

it('a user name and a password: the token is created, its life told, and given back', async () => {
  const clock = new SimulatedClock();
  const { sandbox, of } = await diagnose({
    clock,
    account: { token: undefined, username: 'operator@example.com', password: 'sandbox' },
  });
  expect(of('token')?.text).toBe(
    'a token created for the configured user is accepted; it expires in 1 d and is renewed before',
  );
  expect(Object.fromEntries(sandbox.requests.byMethod)).toMatchObject({ POST: 1, DELETE: 1 });
});

it('a token file that is not there: which', async () => {
  const { of } = await diagnose({ account: { token: undefined, token_file: '/nowhere/token' } });
  expect(of('token')?.status).toBe('problem');
  expect(of('token')?.text).toMatch(/^there is no token to send: .*no such file/);
});

it('no permission to read series: its name, and which metrics will be absent', async () => {
  const { of } = await diagnose({
    sandbox: { tokens: [{ token: 'sandbox-token', permissions: without('Analytics') }] },
  });
  expect(of('series')).toMatchObject({
    status: 'problem',
    text: "the token's user lacks the permission Analytics (HTTP 403): grant it in the account's console",
  });
  expect(of('series')?.absent).toEqual(
    expect.arrayContaining(['edge_responses_per_minute', 'edge_responses_total', 'edge_waf_threats_total']),
  );
  expect(of('series')?.absent).not.toContain('edge_requests_total');
  expect(of('domains')?.status).toBe('ok');
});

it('no permission to read domains: its name, which metrics will be absent, and that the rest works', async () => {
  const { of } = await diagnose({
    sandbox: { tokens: [{ token: 'sandbox-token', permissions: without('View Domains') }] },
  });
  expect(of('domains')).toMatchObject({
    status: 'problem',
    text: "the token's user lacks the permission View Domains (HTTP 403): grant it in the account's console",
    absent: expect.arrayContaining(['edge_domain_info']),
  });
  expect(of('read of metrics')?.status).toBe('ok');
});

it.each([
  [3 * 3_600_000, 'problem', '3 h behind'],
  [-90_000, 'problem', '1 min 30 s ahead of'],
  [20_000, 'warning', '21 s behind'],
])('a clock that is off by %d ms: by how much, and what that affects', async (ms, status, where) => {
  const { of } = await diagnose({ clock: new SimulatedClock(), sandbox: { faults: { clock_skew: { ms } } } });
  expect(of('clock')).toEqual({
    step: 'clock',
    status,
    text: `this machine's clock is ${where} the platform's: the exporter corrects for it, but a Prometheus on this machine would store every sample with the wrong time; synchronise the clock (NTP)`,
  });
  expect(of('read of metrics')?.status).toBe('ok');
});

it('an exhausted quota: until when, and what could not be checked', async () => {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10));
  const { of, sandbox } = await diagnose({
    clock,
    sandbox: { rateLimit: { reads: 10, writes: 10, purges: 10 } },
    before: async (_sandbox, url) => {
      const headers = { accept: 'application/json; version=1', authorization: 'Token sandbox-token' };
      for (let read = 0; read < 10; read += 1) await fetch(`${url}/analytics/metadata`, { headers });
    },
  });
  expect(of('token')?.text).toBe('not checked: HTTP 429: Request was throttled.');
  expect(of('quota')?.status).toBe('problem');
  expect(of('quota')?.text).toMatch(
    /^the quota of reads is used up until 12:01:1\d UTC, for (1 min|1 min 1 s); the token has other clients, or an exporter is running$/,
  );
  expect(of(REST)?.text).toBe('not checked: the quota is used up: run doctor again after its reset');
  expect(sandbox.requests.byStatus.get(429)).toBe(1);
});

it('a quota that others have nearly used up: what is left to them is left', async () => {
  const { of, sandbox } = await diagnose({
    clock: new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10)),
    sandbox: { rateLimit: { reads: 10, writes: 10, purges: 10 } },
    before: async (_sandbox, url) => {
      const headers = { accept: 'application/json; version=1', authorization: 'Token sandbox-token' };
      for (let read = 0; read < 7; read += 1) await fetch(`${url}/analytics/metadata`, { headers });
    },
  });
  expect(of('token')?.status).toBe('ok');
  expect(of('not checked')?.status).toBe('problem');
  expect(of('not checked')?.text).toMatch(
    /^the quota of reads is used up until 12:01:1\d UTC, for (1 min|1 min 1 s): read of metrics, domains, error_responses, plan$/,
  );
  expect(sandbox.requests.byStatus.get(429)).toBeUndefined();
});

it('no rate limit headers: what is assumed in their place', async () => {
  const { of } = await diagnose({ sandbox: { rateHeaders: 'absent' } });
  expect(of('quota')).toEqual({
    step: 'quota',
    status: 'warning',
    text: 'the answers carry no rate limit headers: 60 operations per minute are assumed (quota.assumed_limit), 48 after the reserve; if the platform allows less, it will refuse some of them',
  });
});

it('a web page in place of the API: what it says, and to look at the address', async () => {
  const { of } = await diagnose({ sandbox: { faults: { html_error: {} } } });
  expect(of('API')?.status).toBe('problem');
  expect(of('API')?.text).toMatch(
    /^HTTP 400: .*; is api_url the address of the API, not of a web page, a proxy or a login\?$/,
  );
  expect(of(REST)?.text).toBe('not checked: the server is not the API');
});

it.each<[string, Handler, string]>([
  [
    'a web page',
    (_, response) => response.writeHead(404).end('<title>Not Found</title>'),
    'HTTP 404: Not Found',
  ],
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
])('a server that answers everything with %s: it is not the API', async (_, handler, reason) => {
  const { origin } = await startUpstream(handler);
  for (const given of [{}, { token: undefined, username: 'operator', password: 'p4ssw0rd' }]) {
    const { of } = await diagnose({ account: { api_url: origin, ...given } });
    expect(of('API')?.status).toBe('problem');
    expect(of('API')?.text).toMatch(
      /; is api_url the address of the API, not of a web page, a proxy or a login\?$/,
    );
    expect(of('token')).toBeUndefined();
  }
  const { of } = await diagnose({ account: { api_url: origin } });
  expect(of('API')?.text).toContain(`${reason}; `);
});

it('a server that knows nothing of what is asked: the path of the address is doubted first, and no permission', async () => {
  const { origin } = await startUpstream((_, response) =>
    sendJson(response, { detail: 'Not Found' }, { status: 404 }),
  );
  const { of } = await diagnose({ account: { api_url: origin } });
  expect(of('API')).toEqual({
    step: 'API',
    status: 'problem',
    text: `HTTP 404 to each of 4 paths that were asked: is the path of api_url right? ${origin} must be the address below which /domains and /metrics are`,
  });
  expect(of(REST)?.text).toBe('not checked: the API is not found at this address');
  expect(of('series')).toBeUndefined();
});

it('an answer that cannot be decoded: which read, and why', async () => {
  const { of } = await diagnose({
    sandbox: { faults: { malformed_body: { paths: ['/metrics/*status_code'] } } },
  });
  expect(of('read of metrics')?.status).toBe('problem');
  expect(of('read of metrics')?.text).toMatch(/^status_code of shop cannot be read: the answer is not JSON/);
});

it('rows that make no sense are counted', async () => {
  const { of } = await diagnose({
    sandbox: { faults: { wrong_types: { share: 0.2, kinds: ['string_value', 'null_value'] } } },
  });
  expect(of('read of metrics')?.status).toBe('warning');
  expect(of('read of metrics')?.text).toMatch(/; \d+ of \d+ rows make no sense$/);
});

it('a configuration that selects nothing: where to look', async () => {
  const products = { edge_applications: { configurations: { include: ['no-such-*'] } } };
  const { of } = await diagnose({ account: { collectors: { metrics: { products } } } });
  expect(of('list of edge_applications')).toMatchObject({
    status: 'warning',
    text: '6 found, but none is both active and selected; nothing matches "no-such-*" of configurations.include',
  });
  expect(of('read of metrics')?.text).toBe('there is nothing to read: no configuration is selected');
});

it('configurations that are excluded, all of them: where to look', async () => {
  const products = { edge_applications: { configurations: { exclude: ['*'] } } };
  const { of } = await diagnose({ account: { collectors: { metrics: { products } } } });
  expect(of('list of edge_applications')).toMatchObject({
    status: 'warning',
    text: '6 found, but none is both active and selected: look at configurations.include and exclude',
  });
});

it('names that match no configuration, beside some that do: which', async () => {
  const configurations = { include: ['shop', 'shpo', 'old-*'], exclude: ['gone'] };
  const products = { edge_applications: { configurations }, edge_functions: {} };
  const { of } = await diagnose({ account: { collectors: { metrics: { products } } } });
  expect(of('list of edge_applications')).toMatchObject({
    status: 'warning',
    text: '6 found, 2 read; nothing matches "shpo", "old-*" of configurations.include',
  });
  expect(of('list of edge_functions')?.status).toBe('ok');
});

it('more work than the quota allows: that intervals will stretch', async () => {
  const { of } = await diagnose({ sandbox: { rateLimit: { reads: 12, writes: 1, purges: 1 } } });
  expect(of('plan')?.status).toBe('warning');
  expect(of('plan')?.text).toMatch(
    /^12\.\d operations per minute of reads are needed, 9 are available: intervals will stretch; edge-exporter plan shows which, and what would help$/,
  );
});

it('no collector is switched on: there is nothing to examine', async () => {
  const { of } = await diagnose({ account: { reconciliation_share: 0, collectors: {} } });
  expect(of(REST)?.text).toBe('not checked: no collector is enabled');
});

it('a wrong path on the platform itself: the path of the address is doubted first', async () => {
  const { url, close } = await createSandbox().listen(0);
  onTestFinished(close);
  const { of } = await diagnose({ account: { api_url: `${url}/v9` } });
  expect(of('API')?.text).toMatch(
    /^HTTP 404 to each of 4 paths that were asked: is the path of api_url right\?/,
  );
  expect(of('token')).toBeUndefined();
});

it('a product that the platform does not know: that it cannot be listed, and that the API is the API', async () => {
  const { of } = await diagnose({
    sandbox: { graphql: 'absent', faults: { not_found: { paths: ['/metrics/products/*/configurations$'] } } },
  });
  expect(of('API')?.status).toBe('ok');
  expect(of('token')?.status).toBe('ok');
  expect(of('series')?.text).toBe('Analytics is granted');
  expect(of('list of edge_applications')?.status).toBe('problem');
  expect(of('products')).toEqual({
    step: 'products',
    status: 'problem',
    text: '1 of 1 that are to be read cannot be listed: metrics edge_applications; leave out of collectors.*.products what the account does not have',
  });
});

it('a product that only GraphQL lists: by which API its series are read, and why', async () => {
  const { of } = await diagnose({
    sandbox: { faults: { not_found: { paths: ['/metrics/products/*'] } } },
  });
  expect(of('list of edge_applications')?.status).toBe('ok');
  expect(of('read of metrics')?.text).toContain('in buckets of 1 min');
  expect(of('source of metrics')?.text).toContain('GraphQL, at http://');
});

it('series of whole products that only GraphQL answers: the address is not doubted', async () => {
  const { of } = await diagnose({
    sandbox: { faults: { not_found: { paths: ['/metrics/products/*', '/analytics/'] } } },
    account: { collectors: { analytics: { products: { content_delivery: { by: ['product'] } } } } },
  });
  expect(of('API')?.status).toBe('ok');
  expect(of('source of analytics')?.text).toContain('GraphQL, at http://');
  expect(of('read of analytics')?.text).toContain('in buckets of 1 min');
});

it('an API of which only GraphQL answers: the address is not doubted', async () => {
  const { of } = await diagnose({
    sandbox: { faults: { not_found: { methods: ['GET'] } } },
    account: { collectors: { metrics: {}, analytics: {}, domains: {} } },
  });
  expect(of('API')?.status).toBe('ok');
  expect(of('source of metrics')?.text).toContain('GraphQL, at http://');
  expect(of('read of metrics')?.text).toContain('in buckets of 1 min');
});

it('an account of GraphQL alone: what that has nothing of is no problem', async () => {
  const { steps, of } = await diagnose({
    sandbox: { faults: { not_found: { paths: ['/metrics/products/*', '/analytics/*'] } } },
    account: { collectors: { metrics: {}, domains: {} } },
  });
  expect(of('products')).toMatchObject({
    status: 'warning',
    text: 'GraphQL has none of the metrics of live_streaming, load_balancer: nothing of them is read',
  });
  expect(of('list of load_balancer')).toBeUndefined();
  expect(of('list of edge_functions')?.status).toBe('ok');
  expect(steps.filter(({ status }) => status === 'problem')).toEqual([]);
  // What all metrics of a dataset share is counted once: two operations of the traffic, and one of each other dataset; and comparisons.
  expect(of('plan')?.text).toContain('; 8.2 operations per minute of graphql are needed');
});

it('what only GraphQL has: each that is named, and what of it the account lacks, which is no problem', async () => {
  const { steps, of } = await diagnose({
    sandbox: { graphqlMissing: ['workloadMetrics.geolocCountryName', 'workloadMetrics.requestTime'] },
    account: {
      collectors: {
        metrics: {
          products: {
            edge_applications: {
              metrics: ['waf', 'requests_by_host', 'requests_by_country', 'request_duration'],
            },
          },
        },
      },
    },
  });
  expect(of('requests_by_host of edge_applications')).toMatchObject({ status: 'ok', text: 'GraphQL has it' });
  expect(of('requests_by_country of edge_applications')).toMatchObject({
    status: 'warning',
    text: expect.stringMatching(/^it is left out: .*workloadMetrics has none of /),
  });
  expect(of('request_duration of edge_applications')).toMatchObject({
    status: 'warning',
    text: expect.stringContaining('requestTime'),
  });
  expect(of('waf of edge_applications')).toBeUndefined();
  expect(steps.filter(({ status }) => status === 'problem')).toEqual([]);
});

it('lists that are all not there: nothing is said of a permission that nothing has shown', async () => {
  const { steps, of } = await diagnose({
    sandbox: { faults: { not_found: { paths: ['/metrics/', '/analytics/'] } } },
  });
  expect(of('series')).toEqual({
    step: 'series',
    status: 'skipped',
    text: 'whether Analytics is granted cannot be told: nothing that needs it was answered',
  });
  expect(JSON.stringify(steps)).not.toContain('Analytics is granted:');
  expect(of('domains')?.status).toBe('ok');
  expect(of('error_responses')?.text).toMatch(/^View Content Delivery is granted: /);
});

it('one product refused beside others: the permission is granted, and is not said to be lacking', async () => {
  const { steps, of } = await diagnose({
    sandbox: { faults: { forbidden: { paths: ['/metrics/products/*/configurations$'] } } },
  });
  expect(of('series')).toMatchObject({ status: 'ok', text: 'Analytics is granted' });
  expect(of('list of edge_applications')?.text).toMatch(
    /^its configurations cannot be listed \(HTTP 403.*\): none of its metrics will be exported$/,
  );
  expect(JSON.stringify(steps)).not.toContain('lacks the permission Analytics');
});

it('settings of one kind refused beside others of the same permission: it is not said to be lacking', async () => {
  const { steps, of } = await diagnose({
    account: { collectors: { digital_certificates: {}, firewall_rulesets: {} } },
    sandbox: { faults: { forbidden: { paths: ['/digital_certificates'] } } },
  });
  expect(of('firewall_rulesets')?.text).toMatch(/^View Security Settings is granted: /);
  expect(of('digital_certificates')).toMatchObject({
    status: 'problem',
    text: 'it is refused (HTTP 403), though View Security Settings is granted: does the account have the product?',
  });
  expect(JSON.stringify(steps)).not.toContain('lacks the permission');
});

it('error responses without any list: the permissions that a list needs, and not the one that was not tried', async () => {
  const { steps, of } = await diagnose({
    sandbox: { tokens: [{ token: 'sandbox-token', permissions: ['View Content Delivery', 'View Domains'] }] },
  });
  expect(of('error_responses')?.status).toBe('problem');
  expect(of('error_responses')?.text).toMatch(
    /^it cannot be read: .*those of products need the permission Analytics, \/edge_applications needs View Security Settings/,
  );
  expect(JSON.stringify(steps)).not.toContain('lacks the permission View Content Delivery');
});

it('error responses by the list of edge applications: View Content Delivery and View Security Settings do', async () => {
  const { of } = await diagnose({
    sandbox: {
      tokens: [
        {
          token: 'sandbox-token',
          permissions: ['View Content Delivery', 'View Security Settings', 'View Domains'],
        },
      ],
    },
  });
  expect(of('series')?.text).toContain('lacks the permission Analytics');
  expect(of('error_responses')?.text).toMatch(/^View Content Delivery is granted: /);
});

const JUDGED = 'judgement';

it.each<[string, Case, RegExp, 'problem' | 'warning']>([
  [
    'empty lists',
    { sandbox: { configurations: 0 } },
    /has no data yet: the platform lists no active configurations to collect/,
    'problem',
  ],
  [
    'one metric refused',
    { sandbox: { faults: { forbidden: { paths: ['/metrics/products/*/metrics/waf*'] } } } },
    /is fresh in part: the token may not read waf of edge_applications: HTTP 403/,
    'warning',
  ],
  [
    'rows that are missing at random',
    { sandbox: { faults: { missing_rows: { share: 0.3 } } } },
    /% of the buckets of edge_applications are missing in the platform’s answers/,
    'warning',
  ],
])('%s: what a running exporter says of the account', async (_, given, text, status) => {
  const { of } = await diagnose(given);
  expect(of(JUDGED)).toMatchObject({ status, text: expect.stringMatching(text) });
});

it('a quota of which others have taken most: how much of it', async () => {
  const { of } = await diagnose({
    clock: new SimulatedClock(Date.UTC(2026, 0, 5, 12, 0, 10)),
    sandbox: { rateLimit: { reads: 100, writes: 10, purges: 10 } },
    before: async (_sandbox, url) => {
      const headers = { accept: 'application/json; version=1', authorization: 'Token sandbox-token' };
      for (let read = 0; read < 60; read += 1) await fetch(`${url}/analytics/metadata`, { headers });
    },
  });
  expect(of('quota')).toMatchObject({
    status: 'warning',
    text: expect.stringMatching(/other clients of the token have taken 60 of 100 operations/),
  });
});

it('a page that answers 429: the limit, and not the address', async () => {
  const server = createServer((_, response) =>
    response.writeHead(429, { 'content-type': 'text/html' }).end('<title>Slow down</title>'),
  );
  const steps = await examined({ api_url: `http://127.0.0.1:${await served(server)}`, token: 'token' });
  expect(steps.filter(({ status }) => status === 'problem').map(({ step }) => step)).toEqual(['quota']);
  expect(steps.at(-1)?.text).toContain('the quota is used up');
});
