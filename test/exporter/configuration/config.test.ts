import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLLECTORS } from '../../../src/exporter/collectors.ts';
import { defaultCollectors } from '../../../src/exporter/configuration/collector-settings.ts';
import { examineConfig, loadConfig } from '../../../src/exporter/configuration/config.ts';
import { formatIssue } from '../../../src/exporter/configuration/issue.ts';
import { Secret } from '../../../src/exporter/secret.ts';
import { inLongSuite } from '../../long-suite.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'edge-exporter-config-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function load(text: string | Uint8Array, env: Record<string, string> = {}) {
  const file = join(directory, 'config.yaml');
  await writeFile(file, text);
  return loadConfig({ file, env });
}

async function loadGood(text: string, env: Record<string, string> = {}) {
  const loaded = await load(text, env);
  if (!loaded.ok) throw new Error(loaded.issues.map(formatIssue).join('\n'));
  return loaded;
}

async function problemsOf(file: string, env: Record<string, string> = {}) {
  const loaded = await loadConfig({ file, env });
  return loaded.ok ? [] : loaded.issues.map((issue) => formatIssue(issue).slice(file.length));
}

const ACCOUNT = 'accounts:\n  - name: production\n    api_url: https://api.example.net\n    token: abc\n';

function anyDepth(problem: string): string {
  return problem.replace(/:\d+: is nested too deeply$/, ': is nested too deeply');
}

const FIXTURES = join(import.meta.dirname, '../../config');
const FIXTURE_ENV = { SET_EMPTY: '', SET_NUMBER: '0.3', SET_YAML: '10m\n    token: other' };

test.each(await readdir(FIXTURES))('%s has exactly the mistakes that it says', async (name) => {
  const file = join(FIXTURES, name);
  const text = await readFile(file, 'utf8');
  const expected = [...text.matchAll(/^# expect: (.*)$/gm)].map(([, issue]) => `:${issue}`);
  expect(expected).not.toHaveLength(0);
  expect((await problemsOf(file, FIXTURE_ENV)).map(anyDepth)).toEqual(expected.map(anyDepth));
});

test('no issue repeats a value that the file holds', async () => {
  for (const name of await readdir(FIXTURES)) {
    const problems = await problemsOf(join(FIXTURES, name), FIXTURE_ENV);
    expect(problems.join('\n')).not.toMatch(/hidden/i);
  }
});

test('every default comes from the schema', async () => {
  const { config, warnings } = await loadGood(ACCOUNT);
  expect(warnings).toEqual([]);
  expect(config).toEqual({
    accounts: [
      {
        name: 'production',
        labels: {},
        api_url: 'https://api.example.net',
        allow_http: false,
        source: 'auto',
        graphql_url: 'https://api.example.net',
        credentials: { kind: 'token', token: expect.any(Secret) },
        quota: { reserve: 0.2, assumed_limit: 60 },
        request: { timeout: 30_000, concurrency: 6, max_response_bytes: 8_388_608 },
        publish_delay: 'auto',
        settle_delay: 'auto',
        stale_after: 900_000,
        reconciliation_share: 0.01,
        discovery: '*/10 * * * *',
        units: {},
        collectors: defaultCollectors(),
      },
    ],
    limits: { series: 500_000, configurations: 10_000, jobs: 50_000 },
    metrics: { exclude: [] },
    push: [],
  });
});

test('delays may be learned', async () => {
  const { config } = await loadGood(`${ACCOUNT}    publish_delay: auto\n    settle_delay: auto\n`);
  expect(config.accounts[0]).toMatchObject({ publish_delay: 'auto', settle_delay: 'auto' });
});

test.each([
  ['https://api.example.net/', 'https://api.example.net'],
  ['https://API.example.net:443/base/', 'https://api.example.net/base'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://127.0.0.1:1//', 'http://127.0.0.1:1'],
  ['http://[::1]:1/a', 'http://[::1]:1/a'],
])('the address %s is kept as %s', async (given, kept) => {
  const { config } = await loadGood(`accounts: [{ name: a, api_url: "${given}", token: abc }]`);
  expect(config.accounts[0]?.api_url).toBe(kept);
});

test('allow_http permits an unencrypted address', async () => {
  const { config } = await loadGood(
    'accounts: [{ name: a, api_url: http://a.example, allow_http: true, token: b }]',
  );
  expect(config.accounts[0]?.api_url).toBe('http://a.example');
});

test('a secret comes from a variable, without the white space around it, and is never shown', async () => {
  const { config } = await loadGood(ACCOUNT.replace('abc', `$\{TOKEN}`), { TOKEN: 's3cret-value\n' });
  const credentials = config.accounts[0]?.credentials;
  expect(credentials?.kind === 'token' && credentials.token.reveal()).toBe('s3cret-value');
  expect(JSON.stringify(config)).not.toContain('s3cret');
});

test('files are found relative to the configuration', async () => {
  const account = (name: string, keys: string) =>
    `  - { name: ${name}, api_url: https://a.example, ${keys} }\n`;
  const { config } = await loadGood(
    `accounts:\n${account('a', 'token_file: token')}${account('b', 'username: u, password_file: /run/p')}`,
  );
  expect(config.accounts.map(({ credentials }) => credentials)).toEqual([
    { kind: 'token_file', path: join(directory, 'token') },
    { kind: 'password', username: 'u', password: { file: '/run/p' } },
  ]);
  const oauth2 = '{ token_url: https://l.example/t, client_id: c, client_secret_file: s }';
  const push = `push: [{ name: r, kind: otlp, url: https://r.example/v1, oauth2: ${oauth2} }]\n`;
  const { config: pushing } = await loadGood(ACCOUNT + push);
  expect(pushing.push[0]?.oauth2?.client_secret_file).toBe(join(directory, 's'));
});

test('anchors, aliases and merge keys save repetition', async () => {
  const { config } = await loadGood(
    `${ACCOUNT.replace('- name', '- &base\n    name')}    quota: &quota { reserve: 0.5 }\n  - <<: *base\n    name: second\n    quota: *quota\n`,
  );
  expect(config.accounts.map(({ name, quota }) => [name, quota.reserve])).toEqual([
    ['production', 0.5],
    ['second', 0.5],
  ]);
});

test('a top-level key that begins with x- holds anchors, as in compose files', async () => {
  const accounts = ['a', 'b'].map((name) => `  - <<: *defaults\n    name: ${name}\n    token: t-${name}\n`);
  const defaults = 'x-defaults: &defaults\n  api_url: https://api.example.net\n  labels: { team: web }\n';
  const { config } = await loadGood(`${defaults}accounts:\n${accounts.join('')}x-notes: [anything]\n`);
  expect(config.accounts.map(({ name, api_url, labels }) => [name, api_url, labels])).toEqual([
    ['a', 'https://api.example.net', { team: 'web' }],
    ['b', 'https://api.example.net', { team: 'web' }],
  ]);
});

test('without collectors everything is collected: each product once, and all settings', () => {
  const { metrics, analytics, ...settings } = defaultCollectors();
  expect(Object.keys(metrics?.products ?? {})).toHaveLength(8);
  expect(Object.keys(analytics?.products ?? {})).toEqual(['cloud_storage', 'live_ingest', 'media_packager']);
  expect(Object.keys(settings)).toEqual(Object.keys(COLLECTORS));
});

test('with collectors only what is named and not switched off runs', async () => {
  const { config } = await loadGood(
    `${ACCOUNT}    collectors: { analytics: {}, domains: { schedule: "0 * * * *" }, error_responses: { enabled: false } }\n`,
  );
  const collectors = config.accounts[0]?.collectors;
  expect(Object.keys(collectors ?? {})).toEqual(['analytics', 'domains']);
  expect(collectors?.domains).toEqual({ schedule: '0 * * * *' });
  expect(Object.keys(collectors?.analytics?.products ?? {})).toContain('content_delivery');
});

test.each([
  ['*/30 * * * * *', '* * * * *'],
  [' 15  */5 9-17 * * 1-5', '*/5 9-17 * * 1-5'],
  ['0 3 * * *', '0 3 * * *'],
])(
  'a schedule is taken without its seconds, since polls wait for a bucket to close: %s',
  async (given, taken) => {
    const { config } = await loadGood(
      `${ACCOUNT}    collectors: { metrics: { schedule: "${given}" }, domains: { schedule: "${given}" } }\n`,
    );
    const { metrics, domains } = config.accounts[0]?.collectors ?? {};
    expect([metrics?.schedule, domains?.schedule]).toEqual([taken, taken]);
    expect(Object.values(metrics?.products ?? {}).map(({ schedule }) => schedule ?? taken)).toEqual(
      Object.keys(metrics?.products ?? {}).map(() => taken),
    );
  },
);

test('a product has its defaults, and ids become text', async () => {
  const { config } = await loadGood(
    `${ACCOUNT}    collectors: { metrics: { products: { edge_functions: { configurations: { include: [12, "a-*"] } } } } }\n`,
  );
  expect(config.accounts[0]?.collectors.metrics?.products).toEqual({
    edge_functions: {
      by: ['configuration'],
      address_by: 'auto',
      configurations: { include: ['12', 'a-*'], exclude: [] },
      metrics: ['*'],
      dimensions: ['*'],
    },
  });
});

test('what is allowed but hardly meant is a warning at its line', async () => {
  const { warnings } = await loadGood(`${ACCOUNT}    units: { bandwith: mbps }
    collectors:
      metrics:
        products:
          edge_applications: { metrics: [wfa, "*", something] }
      analytics:
        products:
          content_delivery: {}
  - { name: idle, api_url: https://a.example, token: abc, collectors: {}, settle_delay: 2h }
`);
  expect(warnings.map((issue) => formatIssue(issue).slice(issue.source.length))).toEqual([
    ':5:14: accounts[0].units.bandwith: not a known metric: the unit has no effect; did you mean "bandwidth"?',
    ':9:42: accounts[0].collectors.metrics.products.edge_applications.metrics[0]: not a known metric, will be exported raw as edge_metric; did you mean "waf"?',
    ':9:52: accounts[0].collectors.metrics.products.edge_applications.metrics[2]: not a known metric, will be exported raw as edge_metric',
    ':12:11: accounts[0].collectors.analytics.products.content_delivery: the metrics collector reads the same product as edge_applications: its series will exist twice, under two product labels',
    ':13:59: accounts[1].collectors: no collector is enabled: nothing is read for this account',
    ':13:89: accounts[1].settle_delay: above 50m counters need a separate read for each metric and configuration, and move only every ten minutes',
  ]);
});

test('units of a dimension are known, or the right one is suggested', async () => {
  const { warnings } = await loadGood(
    `${ACCOUNT}    units: { data_ingested.bandwidth: mbps, data_packaged: kilobytes, data_ingested.bandwith: mbps }\n`,
  );
  expect(warnings.map(({ path, message }) => [path, message])).toEqual([
    [
      'accounts[0].units["data_ingested.bandwith"]',
      'not a known dimension of a metric: the unit has no effect; did you mean "data_ingested.bandwidth"?',
    ],
  ]);
});

test('dimensions that nothing is known to have are told, with the likely one', async () => {
  const { warnings } = await loadGood(`${ACCOUNT}    collectors:
      metrics:
        products:
          edge_applications: { metrics: [status_code, waf], dimensions: [2xxx, "4*", "418", xss, "q*", saved] }
          edge_functions: { metrics: [something], dimensions: [anything] }
`);
  expect(warnings.map(({ path, message }) => [path.replace(/.*products./, ''), message])).toEqual([
    [
      'edge_applications.dimensions[0]',
      'not a known dimension of what is read of edge_applications: exported only if the platform has it; did you mean "2xx"?',
    ],
    ['edge_applications.dimensions[4]', expect.stringMatching(/only if the platform has it$/)],
    ['edge_applications.dimensions[5]', expect.stringContaining('not a known dimension')],
    ['edge_functions.metrics[0]', expect.stringContaining('not a known metric, will be exported raw')],
  ]);
});

test('what only GraphQL has is a known metric, and told where GraphQL is not to be read', async () => {
  const named = (source: string) => `${ACCOUNT}    source: ${source}
    collectors:
      metrics: { products: { edge_applications: { metrics: ['*', request_duration, upstream_response] } } }
      analytics: { source: rest, products: { content_delivery: { metrics: [upstream_responses] } } }
`;
  const warningsOf = async (source: string) =>
    (await loadGood(named(source))).warnings
      .filter(({ path }) => path.includes('metrics['))
      .map(({ path, message }) => [path.replace(/.*products./, ''), message]);
  const unknown = [
    'edge_applications.metrics[2]',
    'not a known metric, will be exported raw as edge_metric; did you mean "upstream_responses"?',
  ];
  const notRead = 'REST does not have this metric: with source: rest it is not read';
  expect(await warningsOf('auto')).toEqual([unknown, ['content_delivery.metrics[0]', notRead]]);
  expect(await warningsOf('rest')).toEqual([
    ['edge_applications.metrics[1]', notRead],
    unknown,
    ['content_delivery.metrics[0]', notRead],
  ]);
});

test('metrics are broken down by value: top says how many, dimensions may choose them', async () => {
  const warningsOf = async (metrics: string) => {
    const { warnings } = await loadGood(`${ACCOUNT}    collectors:
      metrics: { products: { edge_applications: { top: 5, metrics: ['*'${metrics}], dimensions: [Brazil, other] } } }
`);
    return warnings
      .filter(({ path }) => path.includes('edge_app'))
      .map(({ path, message }) => `${path} ${message}`);
  };
  expect(await warningsOf(', requests_by_country')).toEqual([]);
});

test('what is known of a whole product alone is told where none is read', async () => {
  const warningsOf = async (by: string) => {
    const { warnings } = await loadGood(`${ACCOUNT}    collectors:
      analytics: { products: { content_delivery: { by: [${by}], metrics: [bot_requests_by_action] } } }
`);
    return warnings.filter(({ path }) => path.includes('metrics[')).map(({ message }) => message);
  };
  expect(await warningsOf('configuration')).toEqual([expect.stringContaining('by: [product]')]);
  expect(await warningsOf('product')).toEqual([]);
});

test('a metric that only another product has is told', async () => {
  const { warnings } = await loadGood(`${ACCOUNT}    collectors:
      metrics: { products: { edge_functions: { metrics: [request_duration] } } }
`);
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^not a metric of edge_functions, but of .*edge_applications/),
  );
});

test('a file that is missing, a directory, binary, of another encoding or too large is one issue', async () => {
  expect(await problemsOf(join(directory, 'absent.yaml'))).toEqual([': there is no such file']);
  expect(await problemsOf(directory)).toEqual([': expected a file, found a directory']);
  const issues = async (content: string | Uint8Array) => {
    const loaded = await load(content);
    return loaded.ok ? [] : loaded.issues.map(({ message }) => message);
  };
  expect(await issues('accounts: "\0"')).toEqual(['expected text, found binary data']);
  expect(await issues(Uint8Array.of(0xff, 0xfe, 0x61))).toEqual(['expected text in UTF-8, found other data']);
  expect(await issues(Buffer.alloc(50_000_000, '#'))).toEqual([
    'the file is too large: expected at most 4 MiB',
  ]);
});

test('text and lists that are longer than anything that is meant are refused at once, each where it stands', async () => {
  const long = 'a'.repeat(600_000);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`).join(', ');
  const text = `${ACCOUNT.trimEnd()}
    collectors: { metrics: { products: { edge_functions: { configurations: { include: [${long}] }, metrics: [${long}] } } } }
    labels: { ${many(30_000).replaceAll(',', ': a,')}: a }
metrics: { exclude: [${long}, "${'{a,b}'.repeat(100_000)}"] }
push:
  - { name: r, kind: otlp, url: "https://x.example.net", families: [${long}] }
  - { name: s, kind: otlp, url: "https://x.example.net", families: [${many(1_001)}], accounts: [${many(10_001)}] }
`;
  const before = process.cpuUsage();
  const file = join(directory, 'long.yaml');
  await writeFile(file, text);
  const { loaded } = await examineConfig({ file, env: {} }, ['edge_up']);
  // Input of this length took minutes in an earlier version.
  expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  const issues = loaded.ok ? [] : loaded.issues;
  expect(issues.map(({ line, path, message }) => `${line}: ${path}: ${message}`)).toMatchInlineSnapshot(`
    [
      "5: accounts[0].collectors.metrics.products.edge_functions.configurations.include[0]: expected at most 4096 characters",
      "5: accounts[0].collectors.metrics.products.edge_functions.metrics[0]: expected at most 4096 characters",
      "6: accounts[0].labels: expected at most 20 labels",
      "7: metrics.exclude[0]: expected at most 4096 characters",
      "7: metrics.exclude[1]: expected at most 4096 characters",
      "9: push[0].families[0]: expected at most 4096 characters",
      "10: push[1].families: expected at most 1000 entries",
      "10: push[1].accounts: expected at most 10000 entries",
    ]
  `);
});

const MANY = inLongSuite(3_000, 1_000);

test(`${MANY} accounts, each with keys of its own, are one file`, async () => {
  const account = (index: number) =>
    `  - { name: account-${index}, api_url: "https://api-${index}.example.net", token: token-${index}, settle_delay: 10m, collectors: { metrics: { products: { edge_applications: { metrics: [waf] } } } } }\n`;
  const text = `accounts:\n${Array.from({ length: MANY }, (_, index) => account(index)).join('')}`;
  expect((await loadGood(text)).config.accounts).toHaveLength(MANY);
});

test('a file that never ends is not read to its end', async () => {
  expect(await problemsOf('/dev/zero')).toEqual([': the file is too large: expected at most 4 MiB']);
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read is one issue', async () => {
  const file = join(directory, 'closed.yaml');
  await writeFile(file, ACCOUNT);
  await chmod(file, 0);
  expect(await problemsOf(file)).toEqual([': the file cannot be read: permission denied']);
});

test('a byte order mark is no mistake', async () => {
  expect((await load(`\ufeff${ACCOUNT}`)).ok).toBe(true);
});

const MISTAKES = inLongSuite(100_000, 10_000);

test(`${MISTAKES} mistakes are told in part`, async () => {
  const loaded = await load(`accounts: [${'1,'.repeat(MISTAKES)}]`);
  expect(loaded.ok ? [] : loaded.issues).toHaveLength(1_000);
});

test('a key whose quotation mark is missing is told with its line', async () => {
  const loaded = await load('accounts: []\n"push\n');
  expect(loaded.ok ? [] : loaded.issues.map(({ line }) => line)).toContain(2);
});

test('a good file damaged anywhere is told with places in it, and never throws', async () => {
  const example = await readFile(join(import.meta.dirname, '../../../config/exporter.yaml'), 'utf8');
  const last = example.split('\n').length + 1;
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom('\n', ': ', '*', '&a ', '- ', '"', '{', '}', '<<: ', '<<: *a', '*a '),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: example.length }), fc.nat({ max: 10 }), piece, async (at, cut, added) => {
      const loaded = await load(example.slice(0, at) + added + example.slice(at + cut));
      if (loaded.ok) return;
      expect(loaded.issues).not.toHaveLength(0);
      for (const { line = 0 } of loaded.issues) expect(line >= 1 && line <= last).toBe(true);
    }),
    { numRuns: inLongSuite(200, 60) },
  );
});
