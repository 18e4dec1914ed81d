import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { checkConfig } from '../../src/commands/check-config.ts';
import { EXIT } from '../../src/exporter/command-line/command.ts';
import { createLogger } from '../../src/exporter/logging/log.ts';
import { complaintsOn } from '../../src/exporter/text/output.ts';

async function check(
  file: string | undefined,
  env: Record<string, string> = {},
  isTTY = false,
  alerts: string | undefined = undefined,
) {
  const out: string[] = [];
  const err: string[] = [];
  const stdout = { write: (text: string) => out.push(text) };
  const stderr = { write: (text: string) => err.push(text), isTTY };
  const exitCode = await checkConfig({
    flags: {
      'config.file': file,
      'alerts.file': alerts,
      'log.level': 'info',
      'log.format': 'logfmt',
      shard: undefined,
      'shard.configurations': undefined,
    },
    env,
    stdout,
    stderr,
    signal: new AbortController().signal,
    ...complaintsOn(stderr, env),
    onReload: () => undefined,
    logging: createLogger({ level: 'info', format: 'logfmt', destination: stderr }),
  });
  return { exitCode, out: out.join(''), err: err.join('') };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-config-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

async function checkText(text: string) {
  const file = join(folder, 'exporter.yaml');
  await writeFile(file, text);
  const { exitCode, out, err } = await check(file);
  return { exitCode, out: out.replaceAll(file, ''), err: err.replaceAll(file, '') };
}

const EXAMPLE = join(import.meta.dirname, '../../config/exporter.yaml');
const BROKEN = join(import.meta.dirname, '../config/unknown-key.yaml');
const ISSUE = `${BROKEN}:6:5: accounts[0].colectors: unknown key; did you mean "collectors"?`;

test('products that GraphQL has nothing of are not among those that are read by it', async () => {
  const account = (more: string) =>
    checkText(`accounts: [{ name: a, api_url: "https://api.example.net", token: t, ${more} }]`);
  const of = 'collectors: { metrics: { products: { edge_functions: {}, load_balancer: {} } } }';
  expect((await account(`source: graphql, ${of}`)).out).toContain(
    ': edge_functions; not read, as GraphQL has none of their metrics: load_balancer\n',
  );
  expect((await account(of)).out).toContain(': edge_functions, load_balancer\n');
  const only = 'collectors: { metrics: { source: graphql, products: { load_balancer: {} } } }';
  expect((await account(only)).out).toContain(': none; not read, as');
});

test('a good file is summarised: accounts, collectors, products, schedules and receivers', async () => {
  await writeFile(join(folder, 'token'), 'tok-1', PRIVATE);
  const example = await readFile(EXAMPLE, 'utf8');
  const { exitCode, out, err } = await checkText(example.replaceAll(/\/run\/secrets\/\w+-token/g, 'token'));
  expect({ exitCode, err }).toEqual({ exitCode: EXIT.ok, err: '' });
  expect(out).toBe(`: ok
account production at https://api.example.net, by token_file
  metrics (* * * * * UTC): edge_applications, edge_functions
  analytics (* * * * * UTC): cloud_storage, live_ingest, media_packager
  domains (*/10 * * * * UTC)
  digital_certificates (*/30 * * * * UTC)
  edge_applications (*/10 * * * * UTC)
  edge_functions (*/10 * * * * UTC)
  edge_firewalls (*/5 * * * * UTC)
  firewall_rulesets (*/10 * * * * UTC)
  waf_rulesets (*/5 * * * * UTC)
  network_lists (*/10 * * * * UTC)
  hosted_zones (*/10 * * * * UTC)
  error_responses (*/15 * * * * UTC)
push central to https://prometheus.example.net/api/v1/write, by remote_write
`);
});

test('mistakes go to stderr, one a line, and the command ends with 2', async () => {
  expect(await check(BROKEN)).toEqual({ exitCode: EXIT.misused, out: '', err: `error: ${ISSUE}\n` });
});

test('a terminal gets colours, unless NO_COLOR asks for none', async () => {
  expect((await check(BROKEN, {}, true)).err).toBe(`\u001b[31merror\u001b[0m: ${ISSUE}\n`);
  expect((await check(BROKEN, { NO_COLOR: '1' }, true)).err).toBe(`error: ${ISSUE}\n`);
});

test('without a file the environment is checked', async () => {
  const env = { EDGE_API_URL: 'https://api.example.net', EDGE_TOKEN: 's3cret-value' };
  const { exitCode, out, err } = await check(undefined, env);
  expect(exitCode).toBe(EXIT.ok);
  expect(out).toContain('environment: ok\naccount default at https://api.example.net, by token\n');
  expect(out + err).not.toContain('s3cret');
  expect(await check(undefined)).toMatchObject({
    exitCode: EXIT.misused,
    err: expect.stringContaining('nothing is configured'),
  });
});

const ODD = `accounts:
  - name: production
    api_url: https://api.example.net
    token_file: absent
    units: { bandwith: mbps }
    collectors:
      metrics:
        products: { edge_applications: { metrics: [wfa, 12], colour: red } }
      analytics:
        products: { content_delivery: { schedule: never } }
`;

test('mistakes hide no doubts of other accounts and files: all are told, each at its place', async () => {
  const odd = "  - { name: b, api_url: 'https://b.example', token: t, units: { bandwith: mbps } }\n";
  expect(await checkText(ODD + odd)).toEqual({
    exitCode: EXIT.misused,
    out: '',
    err: `error: :8:57: accounts[0].collectors.metrics.products.edge_applications.metrics[1]: expected text, found a number; put it in quotes
error: :8:62: accounts[0].collectors.metrics.products.edge_applications.colour: unknown key; expected one of: by, address_by, schedule, configurations, metrics, top, dimensions
error: :10:51: accounts[0].collectors.analytics.products.content_delivery.schedule: expected a cron expression such as "*/5 * * * *"
warning: :4:17: accounts[0].token_file: the file cannot be read: no such file
warning: :11:65: accounts[1].units.bandwith: not a known metric: the unit has no effect; did you mean "bandwidth"?
`,
  });
});

const PRIVATE = { mode: 0o600 };
const BY_TOKEN = 'accounts: [{ name: a, api_url: https://a.example, token_file: secret }]\n';
const BY_PASSWORD = BY_TOKEN.replace('token_file: secret', 'username: u, password_file: secret');

test('a secret file that is missing may yet come: a warning', async () => {
  for (const [text, place] of [
    [BY_TOKEN, ':1:63: accounts[0].token_file'],
    [BY_PASSWORD, ':1:79: accounts[0].password_file'],
  ] as const) {
    const { exitCode, out, err } = await checkText(text);
    expect({ exitCode, err }).toEqual({
      exitCode: EXIT.ok,
      err: `warning: ${place}: the file cannot be read: no such file\n`,
    });
    expect(out).toContain(': ok\n');
  }
});

test.each([0o666, 0o644, 0o642])(
  'a secret file that others may read or change (mode %o) is a warning',
  async (mode) => {
    const path = join(folder, 'secret');
    await writeFile(path, 'tok-1');
    await chmod(path, mode);
    const { exitCode, err } = await checkText(BY_TOKEN);
    expect({ exitCode, err }).toEqual({
      exitCode: EXIT.ok,
      err: `warning: :1:63: accounts[0].token_file: every user of this machine may read or change this file (mode 0${mode.toString(8)}): chmod 0600 keeps it to its owner\n`,
    });
    for (const own of [0o600, 0o440, 0o660]) {
      await chmod(path, own);
      expect((await checkText(BY_TOKEN)).err).toBe('');
    }
  },
);

test('a client secret that others may read is a warning, wherever the command was started', async () => {
  await writeFile(join(folder, 'client'), 'hush');
  await chmod(join(folder, 'client'), 0o644);
  const oauth2 = '{ token_url: https://l.example/t, client_id: c, client_secret_file: client }';
  const push = `\npush: [{ name: r, kind: otlp, url: https://r.example/v1, oauth2: ${oauth2} }]\n`;
  await writeFile(join(folder, 'secret'), 'tok-1', { mode: 0o600 });
  const { err } = await checkText(BY_TOKEN + push);
  expect(err).toContain('push[0].oauth2.client_secret_file: every user of this machine may read');
});

test.skipIf(process.getuid?.() === 0)('a secret file of somebody else is a warning', async () => {
  await writeFile(join(folder, 'secret'), 'tok-1');
  await chmod(join(folder, 'secret'), 0);
  const { exitCode, err } = await checkText(BY_TOKEN);
  expect({ exitCode, err }).toEqual({
    exitCode: EXIT.ok,
    err: 'warning: :1:63: accounts[0].token_file: the file cannot be read: permission denied\n',
  });
});

test.each([
  ['a folder', BY_TOKEN, (path: string) => mkdir(path), 'cannot be read: it is a folder'],
  ['empty', BY_TOKEN, (path: string) => writeFile(path, '\n', PRIVATE), 'is empty'],
  ['empty', BY_PASSWORD, (path: string) => writeFile(path, '\n', PRIVATE), 'is empty'],
  [
    'some other file',
    BY_TOKEN,
    (path: string) => writeFile(path, 'two words', PRIVATE),
    'contains characters that no token has, such as a space',
  ],
])('a secret file that is %s is a mistake', async (_, text, prepare, words) => {
  await prepare(join(folder, 'secret'));
  const { exitCode, out, err } = await checkText(text);
  expect({ exitCode, out }).toEqual({ exitCode: EXIT.misused, out: '' });
  expect(err).toMatch(/^error: :1:\d+: accounts\[0\]\.(token|password)_file: the file /);
  expect(err.endsWith(`the file ${words}\n`)).toBe(true);
});

test('a secret file is looked at also where the environment names it', async () => {
  const path = join(folder, 'secret');
  await writeFile(path, 'two words', PRIVATE);
  const { exitCode, err } = await check(undefined, {
    EDGE_API_URL: 'https://a.example',
    EDGE_TOKEN_FILE: path,
  });
  expect({ exitCode, err }).toEqual({
    exitCode: EXIT.misused,
    err: 'error: environment: EDGE_TOKEN_FILE: the file contains characters that no token has, such as a space\n',
  });
});

test('an alerts file is checked as well, with the mistakes of both at once', async () => {
  const alerts = join(folder, 'alerts.yaml');
  await writeFile(alerts, 'alerts:\n  EdgeWafSpik: { floor: 5 }\n');
  const wrong = await check(BROKEN, {}, false, alerts);
  expect(wrong.exitCode).toBe(EXIT.misused);
  expect(wrong.err).toContain(ISSUE);
  expect(wrong.err).toContain(`${alerts}:2:3: alerts.EdgeWafSpik: unknown key; did you mean "EdgeWafSpike"?`);
  await writeFile(alerts, 'alerts:\n  EdgeWafSpike: { floor: 5 }\n');
  const good = await check(EXAMPLE, {}, false, alerts);
  expect({ exitCode: good.exitCode, out: good.out }).toEqual({
    exitCode: EXIT.ok,
    out: expect.stringContaining(`${alerts}: ok\n`),
  });
});

const ACCOUNT = '{ name: a, api_url: "https://a", token: tok-1';

test('a variable without braces is refused as a token: it would be sent as it is', async () => {
  const { exitCode, err } = await checkText(
    'accounts: [{ name: a, api_url: "https://a", token: $EDGE_TOKEN }]',
  );
  expect(exitCode).toBe(EXIT.misused);
  expect(err).toContain('accounts[0].token: would be sent as it is: expected a variable in braces, such as');
  expect((await checkText('accounts: [{ name: a, api_url: "https://a", token: "a$b" }]')).exitCode).toBe(
    EXIT.ok,
  );
});

test.each([
  [
    `accounts: [${ACCOUNT} }]\npush: [{ name: p, kind: otlp, url: "https://p/v1/metrics", accounts: [b], families: [edge_request_total, edge_waf_nothing, edge_exporter_polls_total] }]`,
    /push\[0\]\.accounts\[0\]: no account has this name: nothing of it is pushed[\s\S]*push\[0\]\.families\[0\]: no family has this name: nothing is pushed for it; did you mean "edge_requests_total"\?\n.*families\[1\]: no family has this name: nothing is pushed for it\n$/,
  ],
  [
    `accounts: [${ACCOUNT}, collectors: { error_responses: { configurations: [shop] } } }]`,
    /error_responses\.configurations\[0\]: expected the id of a configuration, a number/,
  ],
  [
    `accounts: [${ACCOUNT} }, { name: b, api_url: "https://A:443/", token: tok-1 }]`,
    /accounts\[1\]\.token: has the address and the token of accounts\[0\]: it is polled twice/,
  ],
  [
    `accounts: [${ACCOUNT}, collectors: { metrics: { schedule: "*/10 * * * * *" } } }]`,
    /collectors\.metrics\.schedule: the field for seconds is ignored/,
  ],
  [
    `accounts: [${ACCOUNT} }]\nmetrics:\n  exclude: ["nodejs_*", edge_request_total, "edge_exporter_pol?_total"]`,
    /^warning: :3:25: metrics\.exclude\[1\]: no family has this name: nothing is left out; did you mean "edge_requests_total"\?\nwarning: :3:45: metrics\.exclude\[2\]: no family has this name: nothing is left out; did you mean "edge_exporter_polls_total"\?\n$/,
  ],
])('what is probably not meant is a warning: %s', async (text, warning) => {
  const { exitCode, err } = await checkText(text);
  expect(exitCode).toBe(EXIT.ok);
  expect(err).toMatch(warning);
});

test('what is meant is no warning: other names, ids, and schedules of five fields', async () => {
  const { exitCode, err } = await checkText(
    `accounts: [${ACCOUNT}, collectors: { metrics: { schedule: "*/5 * * * *" }, error_responses: { configurations: ["7"] } } }, { name: b, api_url: "https://a", token: tok-2 }]
push: [{ name: p, kind: otlp, url: "https://p/v1/metrics", accounts: ["*"], families: ["edge_requests_*", edge_up] }]
metrics: { exclude: [edge_up, edge_metric, edge_domain_info, edge_exporter_quota_wait_seconds, process_cpu_seconds_total, "nodejs_eventloop_*", "edge_exporter_publish_delay_*", edge_configurations, "*_expected_per_minute"] }`,
  );
  expect({ exitCode, err }).toEqual({ exitCode: EXIT.ok, err: '' });
});

test('a file of thresholds is checked alone where nothing else is configured', async () => {
  const alerts = join(folder, 'alerts.yaml');
  await writeFile(alerts, '{}\n');
  expect(await check(undefined, {}, false, alerts)).toEqual({
    exitCode: EXIT.ok,
    out: `${alerts}: ok\n`,
    err: '',
  });
  await writeFile(alerts, 'unknown: 1\n');
  expect((await check(undefined, {}, false, alerts)).exitCode).toBe(EXIT.misused);
});
