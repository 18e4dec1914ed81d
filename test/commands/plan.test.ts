import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { freePort } from '../end-to-end/free-port.ts';
import { eventually } from '../eventually.ts';
import { served } from '../served.ts';
import { beginProgram, callProgram } from './call-program.ts';

const call = (args: readonly string[], env: Record<string, string> = {}) => callProgram(args, { env });

async function startSandbox(options: SandboxOptions = {}): Promise<Record<string, string>> {
  const { url, close } = await createSandbox(options).listen(0);
  onTestFinished(close);
  return { EDGE_API_URL: url, EDGE_TOKEN: 'sandbox-token' };
}

function configFile(yaml: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'plan-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'exporter.yaml');
  writeFileSync(file, yaml);
  return file;
}

const ENV = { EDGE_API_URL: 'https://api.example.net', EDGE_TOKEN: 's3cret-value' };

test('a plan that fits ends with 0, and names every product that there is something of', async () => {
  const env = await startSandbox({ rateLimit: { reads: 300, writes: 1, purges: 1 } });
  const { exitCode, out } = await call(['plan'], env);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^account default at http:\/\/127\.0\.0\.1:\d+: the plan fits\n {2}reads: /);
  expect(out).toMatch(/^metrics +edge_applications +reads +54 +54 +18% +\d+ +1 min +up to 4 min$/m);
  expect(out).not.toContain('\u001b');
});

test('a plan that does not fit ends with 3, so that a pipeline can guard it', async () => {
  const rateLimit = { reads: 100, writes: 1, purges: 1 };
  const { EDGE_API_URL } = await startSandbox({ rateLimit, configurations: 20 });
  const file = configFile(`accounts:
  - { name: default, api_url: ${EDGE_API_URL}, token: sandbox-token, collectors: { metrics: {} } }
`);
  const { exitCode, out } = await call(['plan', '--json', `--config.file=${file}`]);
  expect(exitCode).toBe(3);
  const [account] = JSON.parse(out).accounts;
  expect(account).toMatchObject({ account: 'default', fits: false });
  expect(account.scopes).toMatchObject([{ scope: 'reads', limit: 100, allowance: 80, operations: 80 }]);
});

test('offline no token is needed, neither in the environment nor for a reference in a file', async () => {
  const { EDGE_API_URL } = ENV;
  const counts = '--offline.counts=0';
  expect((await call(['plan', '--offline', counts], { EDGE_API_URL })).exitCode).toBe(0);
  const file = configFile(`accounts: [{ name: a, api_url: "https://a", token: "\${EDGE_TOKEN}" }]`);
  const args = ['plan', `--config.file=${file}`];
  expect((await call([...args, '--offline', counts])).exitCode).toBe(0);
  expect(await call(args)).toMatchObject({ exitCode: 2 });
});

test('plans no more series than the limits of the configuration allow, which may be more than the default', async () => {
  const jobs = async (most: number): Promise<number> => {
    const file = configFile(`accounts:
  - { name: a, api_url: "https://a", token: t, collectors: { metrics: { products: { edge_applications: { address_by: configuration, metrics: [waf] } } } } }
limits: { configurations: 12000, jobs: ${most} }
`);
    const args = ['--offline', '--offline.counts=10500', `--config.file=${file}`];
    const { out } = await call(['plan', '--json', ...args]);
    const [{ rows }] = JSON.parse(out).accounts;
    return rows.find(({ collector }: { collector: string }) => collector === 'metrics').jobs;
  };
  // The list of configurations is also a job.
  expect(await jobs(150)).toBe(149);
  expect(await jobs(11_000)).toBe(10_500);
});

test('of an account of GraphQL alone, what that has nothing of is left out, and named', async () => {
  const env = await startSandbox({ restAnalytics: 'absent', graphqlRateHeaders: 'sent' });
  const { exitCode, out } = await call(['plan', '--json'], env);
  expect(exitCode).toBe(0);
  const [{ rows, notes }] = JSON.parse(out).accounts;
  const products = rows.flatMap(({ collector, product }: { collector: string; product: string }) =>
    collector === 'metrics' || collector === 'analytics' ? [product] : [],
  );
  expect(products).toContain('edge_applications');
  expect(products).not.toContain('load_balancer');
  expect(notes).toEqual([
    'GraphQL has none of the metrics of cloud_storage, live_ingest, media_packager, live_streaming, load_balancer: nothing of them is read',
  ]);
});

test('the limit of GraphQL is divided among the accounts that read by it at one address', async () => {
  const account = (name: string, more: string) =>
    `  - { name: ${name}, api_url: "https://${name}.example", token: none, collectors: { metrics: {} }, ${more} }\n`;
  const file = configFile(`accounts:
${account('a', 'source: graphql, graphql_url: "https://g.example"')}${account('b', 'source: graphql, graphql_url: "https://g.example/v4"')}${account('c', 'source: graphql, graphql_url: "https://h.example"')}${account('d', 'source: rest, graphql_url: "https://g.example"')}`);
  const { out } = await call(['plan', '--offline', '--offline.counts=3', '--json', `--config.file=${file}`]);
  const limits = (JSON.parse(out).accounts as { scopes: { scope: string; limit: number }[] }[]).map(
    ({ scopes }) => scopes.find(({ scope }) => scope === 'graphql')?.limit,
  );
  expect(limits).toEqual([10, 10, 20, undefined]);
});

test('offline nothing is asked: counts and the limit are given', async () => {
  const counts = '--offline.counts=0,edge_applications=7,domains=250';
  const { exitCode, out } = await call(['plan', '--offline', counts, '--offline.limit=100', '--json'], ENV);
  expect(exitCode).toBe(0);
  const [{ rows, scopes }] = JSON.parse(out).accounts;
  const row = (collector: string) => rows.find((row: { collector: string }) => row.collector === collector);
  expect(row('metrics')).toMatchObject({ product: 'edge_applications', jobs: 63, demand: 63 });
  expect(row('domains')).toMatchObject({ jobs: 1, series: null });
  expect(row('domains').demand).toBeCloseTo(3 / 10, 6);
  expect(scopes).toMatchObject([{ limit: 100, limit_named_by: 'assumption', allowance: 80 }]);
});

test('a shard of the configurations is planned with its part of them and of the limit', async () => {
  const plan = async (...shard: readonly string[]) => {
    const counts = '--offline.counts=0,edge_applications=90';
    const { out } = await call(['plan', '--offline', counts, '--offline.limit=99', '--json', ...shard], ENV);
    const [{ rows, scopes, notes }] = JSON.parse(out).accounts;
    const jobs = rows.find(({ product }: { product: string }) => product === 'edge_applications').jobs;
    return { jobs, limit: scopes[0].limit, notes: notes.join() };
  };
  const shards = await Promise.all([0, 1, 2].map((n) => plan(`--shard.configurations=${n}/3`)));
  const whole = await plan();
  expect(shards.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(whole.jobs);
  for (const [n, { limit, notes }] of shards.entries()) {
    expect(limit).toBe(33);
    expect(notes).toContain(`shard ${n}/3: its part of the configurations, and 1/3 of what`);
  }
});

test('counts of a name that is no product or collector end with 2, and say which was meant', async () => {
  const counts = '--offline.counts=10,edge_aplications=40,domains=2,colour=1';
  expect(await call(['plan', '--offline', counts], ENV)).toEqual({
    exitCode: 2,
    out: '',
    err:
      'error: --offline.counts: "edge_aplications" is no product or collector; did you mean "edge_applications"?\n' +
      'error: --offline.counts: "colour" is no product or collector\n',
  });
});

test('the count of a collector is that of its list, whatever the list is called on the platform', async () => {
  const demandWith = async (counts: string) => {
    const { out } = await call(['plan', '--offline', `--offline.counts=${counts}`, '--json'], ENV);
    const { rows } = JSON.parse(out).accounts[0];
    return (name: string) => rows.find(({ collector }: { collector: string }) => collector === name).demand;
  };
  const [few, many] = [await demandWith('1'), await demandWith('1,edge_firewalls=500,waf_rulesets=300')];
  expect(many('edge_firewalls') / few('edge_firewalls')).toBeCloseTo(5, 6);
  expect(many('firewall_rulesets')).toBe(few('firewall_rulesets'));
  expect(many('network_lists')).toBe(few('network_lists'));
});

test('a platform that cannot be reached ends with 1', async () => {
  const env = { EDGE_API_URL: `http://127.0.0.1:${await freePort()}`, EDGE_TOKEN: 's3cret-value' };
  expect(await call(['plan'], env)).toEqual({
    exitCode: 1,
    out: '',
    err: 'error: account default: cannot plan, the platform does not answer: connection refused\n',
  });
});

test('a platform that refuses all that is asked, as at a wrong path, is no plan that fits', async () => {
  const { EDGE_API_URL, EDGE_TOKEN = '' } = await startSandbox();
  const { exitCode, out, err } = await call(['plan'], { EDGE_API_URL: `${EDGE_API_URL}/wrong`, EDGE_TOKEN });
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' });
  expect(err).toMatch(
    /^error: account default: cannot plan, .*HTTP 404.* to all of \d+ reads: .*doctor.*\n$/,
  );
});

test('that the quota is used up from the first read on is said at once', async () => {
  const server = createServer((_, response) => {
    const headers = { 'Retry-After': '3600', 'Content-Type': 'application/json' };
    response.writeHead(429, headers).end('{"detail":"throttled"}');
  });
  const env = { EDGE_API_URL: `http://127.0.0.1:${await served(server)}`, EDGE_TOKEN: 's3cret-value' };
  const ending = new AbortController();
  const { exitCode, err } = beginProgram(['plan'], { env, signal: ending.signal });
  await eventually('it says so', () => err().includes('waits'), { within: 10_000 });
  ending.abort();
  expect([await exitCode, err()]).toEqual([
    1,
    expect.stringMatching(/^account default: waits \d+ min.* for the quota\n$/),
  ]);
});

test('a part that is closed to the token is left out, and said', async () => {
  const tokens = [{ token: 'sandbox-token', permissions: ['View Domains'] as const }];
  const { exitCode, out } = await call(['plan'], await startSandbox({ tokens }));
  expect(exitCode).toBe(0);
  expect(out).toContain(
    'Note: discovery/metrics/edge_applications could not be read (HTTP 403: Forbidden): its configurations are not in the plan.',
  );
});

test('products that cannot be listed are counted and named', async () => {
  const { EDGE_API_URL } = await startSandbox({
    faults: {
      not_found: { paths: ['/metrics/products/1531930033/'] },
      forbidden: { paths: ['/metrics/products/1563390045/'] },
    },
  });
  const file = configFile(`accounts:
  - name: shop
    api_url: ${EDGE_API_URL}
    token: sandbox-token
    collectors: { metrics: { products: { edge_applications: {}, edge_functions: {}, intelligent_dns: {} } } }
`);
  expect((await call(['plan', `--config.file=${file}`])).out).toContain(
    '\n  2 of 3 products cannot be listed (metrics edge_functions, metrics intelligent_dns): their configurations are not in this plan\n',
  );
  const { exitCode, out } = await call(['plan', `--config.file=${file}`, '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out).accounts[0].unlisted_products).toEqual([
    'metrics edge_functions',
    'metrics intelligent_dns',
  ]);
});

test('metadata that cannot be read is said, and the catalogue stands in for it', async () => {
  const env = await startSandbox({
    rateLimit: { reads: 300, writes: 1, purges: 1 },
    faults: { server_error: { paths: ['/analytics/metadata'] } },
  });
  const { exitCode, out } = await call(['plan'], env);
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /^Note: discovery\/analytics\/metadata could not be read \(HTTP 500.*\): each product is assumed to have the known metrics\.$/m,
  );
  expect(out).toMatch(/^analytics +live_ingest +reads +2 /m);
});

test('the names of what GraphQL lists are counted, and ids stand for those that cannot be read', async () => {
  const planned = async (configurations: number, failing: object) => {
    const { EDGE_API_URL } = await startSandbox({
      configurations,
      faults: { not_found: { paths: ['/metrics/products/*', '/analytics/*'] }, ...failing },
    });
    const file = configFile(`accounts:
  - name: shop
    api_url: ${EDGE_API_URL}
    token: sandbox-token
    collectors: { metrics: { products: { edge_applications: { metrics: [waf] } } } }
`);
    const [account] = JSON.parse((await call(['plan', `--config.file=${file}`, '--json'])).out).accounts;
    const rows: { collector: string; demand: number }[] = account.rows;
    return { notes: account.notes, demand: rows.find(({ collector }) => collector === 'discovery')?.demand };
  };
  // The list is read every ten minutes, and the names every hour; 120 names take two pages.
  expect(await planned(120, {})).toEqual({ notes: [], demand: expect.closeTo(1 / 10 + 2 / 60) });
  const { notes } = await planned(2, { server_error: { paths: ['/edge_applications'] } });
  expect(notes).toEqual([
    expect.stringMatching(
      /^discovery\/metrics\/edge_applications: names of configurations \(\/edge_applications\): HTTP 500.*: ids stand for names$/,
    ),
  ]);
});

test('names that match no configuration of the account are said, and offline nothing is known of them', async () => {
  const { EDGE_API_URL } = await startSandbox();
  const file = configFile(`accounts:
  - name: shop
    api_url: ${EDGE_API_URL}
    token: sandbox-token
    collectors:
      metrics:
        products:
          edge_applications: { configurations: { include: [shop, "shpo-*", "12"] }, metrics: [waf] }
          edge_functions: { configurations: { include: ["*"] } }
          intelligent_dns: { configurations: { include: [none.example] } }
`);
  const { exitCode, out } = await call(['plan', `--config.file=${file}`]);
  expect(exitCode).toBe(0);
  expect(out.match(/^Note.*$/gm)).toEqual([
    'Note: "shpo-*", "12" in collectors.metrics.products.edge_applications.configurations.include match no configuration of the account.',
    'Note: "none.example" in collectors.metrics.products.intelligent_dns.configurations.include matches no configuration of the account.',
  ]);
  expect(out).toMatch(/^discovery +- +reads +3 +0\.3 /m);
  expect((await call(['plan', '--offline', `--config.file=${file}`])).out).not.toContain('include');
});

test('what is seldom read costs little, and not nothing', async () => {
  const { EDGE_API_URL } = await startSandbox();
  const file = configFile(`accounts:
  - name: shop
    api_url: ${EDGE_API_URL}
    token: sandbox-token
    collectors: { domains: { schedule: "0 * * * *" } }
`);
  const { out } = await call(['plan', `--config.file=${file}`]);
  expect(out).toContain('  reads: <0.1 operations per minute are needed, 160 are available');
  expect(out).toMatch(/^domains +- +reads +1 +<0\.1 +<1%/m);
});

test('a bad configuration ends with 2, and so does an account that is not there', async () => {
  expect(await call(['plan', '--offline'])).toMatchObject({ exitCode: 2, out: '' });
  const account = (name: string) =>
    `  - { name: ${name}, api_url: https://api.example.net, token: ${name} }\n`;
  const file = configFile(`accounts:\n${account('shop')}${account('news')}`);
  expect(await call(['plan', `--config.file=${file}`, '--account=shpo', '--offline'])).toEqual({
    exitCode: 2,
    out: '',
    err: `error: ${file}: there is no account "shpo"; did you mean "shop"?\n`,
  });
  const { out } = await call(['plan', `--config.file=${file}`, '--account=news', '--offline']);
  expect(out.match(/^account \w+/gm)).toEqual(['account news']);
});

test('of several accounts it says how many processes they take, as its page shows it', async () => {
  const accounts = Array.from(
    { length: 20 },
    (_, n) => `  - { name: account-${n}, api_url: https://api.example.net, token: token-${n} }\n`,
  );
  const file = configFile(`accounts:\n${accounts.join('')}`);
  const offline = ['plan', '--offline', '--offline.limit=5000', `--config.file=${file}`];
  const { out } = await call([...offline, '--offline.counts=60']);
  const page = readFileSync(join(import.meta.dirname, '../../docs/plan-and-doctor.md'), 'utf8');
  const [, shown] = /<!-- processes:begin -->.*?…\n(.*?)```/s.exec(page) ?? [];
  expect(out.slice(out.lastIndexOf('\n20 accounts') + 1)).toBe(shown);
  const json = await call([...offline, '--offline.counts=1', '--json']);
  expect(JSON.parse(json.out).together).toMatchObject({ accounts: 20, processes: 1, too_large: [] });
  const one = await call([...offline, '--offline.counts=1', '--account=account-1']);
  expect(one.out).not.toContain('one process');
});
