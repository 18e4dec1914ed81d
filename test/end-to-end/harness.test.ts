import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { type Alertmanager, startAlertmanager, webhookOnly } from './alertmanager.ts';
import { runToEnd } from './child-process.ts';
import { listeningAddress } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { amtool, promtool } from './promtool.ts';
import { type Pushgateway, startPushgateway } from './pushgateway.ts';
import { startServer } from './server-process.ts';
import { findTool, toolPath } from './tools.ts';
import { startWebhook, type Webhook } from './webhook.ts';

const METRICS = `# HELP edge_requests_total Requests.
# TYPE edge_requests_total counter
edge_requests_total{configuration="shop"} 42
edge_requests_total{configuration="blog"} 0.5
# HELP edge_limit A limit.
# TYPE edge_limit gauge
edge_limit +Inf
`;

const rules = {
  groups: [
    {
      name: 'edge',
      rules: [{ alert: 'ManyRequests', expr: 'edge_requests_total > 10', labels: { severity: 'page' } }],
    },
  ],
};

describe('the real components', () => {
  const exposition = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/plain').end(METRICS),
  );
  let target: string;
  let prometheus: Prometheus;
  let alertmanager: Alertmanager;
  let webhook: Webhook;
  let pushgateway: Pushgateway;

  beforeAll(async () => {
    await once(exposition.listen(0, '127.0.0.1'), 'listening');
    target = `127.0.0.1:${(exposition.address() as AddressInfo).port}`;
    webhook = await startWebhook();
    [alertmanager, pushgateway] = await Promise.all([
      startAlertmanager(webhookOnly(webhook.url)),
      startPushgateway(),
    ]);
    prometheus = await startPrometheus({
      jobs: { edge: target, pushed: pushgateway.url },
      rules,
      alertmanagers: [alertmanager.url],
    });
  });

  afterAll(async () => {
    await Promise.all([prometheus, alertmanager, pushgateway, webhook].map((component) => component?.stop()));
    exposition.close();
  });

  it('lets a Prometheus scrape a target and answer queries', async () => {
    await prometheus.scraped('edge');
    expect(await prometheus.value('sum(edge_requests_total)')).toBe(42.5);
    expect(await prometheus.value('edge_limit')).toBe(Number.POSITIVE_INFINITY);
    expect(await prometheus.query('edge_requests_total{configuration="blog"}')).toMatchObject([
      { labels: { job: 'edge', instance: target, configuration: 'blog' }, value: 0.5 },
    ]);
    expect(await prometheus.query('scalar(edge_limit) > bool 0')).toMatchObject([{ labels: {}, value: 1 }]);
    expect(await prometheus.series('edge_requests_total')).toHaveLength(2);
    await eventually('the target is up', async () =>
      (await prometheus.targets()).some(({ labels, health }) => labels['job'] === 'edge' && health === 'up'),
    );
  });

  it('gives ranges with times in milliseconds', async () => {
    await prometheus.scraped('edge');
    const end = Math.floor(Date.now() / 1000) * 1000;
    const [series] = await prometheus.queryRange('edge_limit or vector(7)', {
      start: end - 5000,
      end,
      step: 1000,
    });
    expect(series?.samples.at(-1)?.at).toBe(end);
  });

  it("rejects with Prometheus' own words, and where one sample was expected", async () => {
    await expect(prometheus.query('sum(')).rejects.toThrow('sum(: invalid parameter "query"');
    await expect(prometheus.value('nothing_of_this_name')).rejects.toThrow('0 samples, not one');
  });

  it('brings an alert from Prometheus through Alertmanager to the webhook', async () => {
    const notification = await webhook.notified('ManyRequests', ({ alerts }) =>
      alerts.some(({ labels }) => labels['alertname'] === 'ManyRequests'),
    );
    expect(notification).toMatchObject({
      status: 'firing',
      receiver: 'webhook',
      alerts: [{ labels: { configuration: 'shop', severity: 'page' } }],
    });
    expect((await prometheus.alerts()).map(({ state }) => state)).toEqual(['firing']);
  });

  it('takes alerts without a Prometheus', async () => {
    await alertmanager.send([{ labels: { alertname: 'ByHand' } }]);
    await webhook.notified('ByHand', ({ alerts }) =>
      alerts.some(({ labels }) => labels['alertname'] === 'ByHand'),
    );
    expect((await alertmanager.alerts()).map(({ labels }) => labels['alertname'])).toContain('ByHand');
  });

  it('lets a Prometheus scrape what was pushed to a Pushgateway', async () => {
    await pushgateway.push('batch', 'pushed_value 3\n');
    await eventually(
      'the pushed value',
      async () => (await prometheus.query('pushed_value'))[0]?.value === 3,
    );
  });

  it('takes another configuration while it runs', async () => {
    const other = await startPrometheus();
    try {
      expect(await other.targets()).toEqual([]);
      await other.reconfigure({ jobs: { later: `http://${target}/metrics` } });
      await other.scraped('later');
      expect(await other.value('up')).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('runs promtool on input and amtool on files', async () => {
    expect(await promtool(['check', 'metrics'], METRICS)).toMatchObject({ code: 0, stderr: '' });
    const lint = await promtool(['check', 'metrics'], 'no_help_total 1\n');
    expect(lint).toMatchObject({ code: 3 });
    expect(lint.stderr).toContain('no help text');
    expect((await amtool(['check-config', '/nowhere.yml'])).code).not.toBe(0);
  });
});

describe('the exporter as a process', () => {
  it.each([
    ['logfmt', 'ts=1 level=info msg=listening address=http://127.0.0.1:41 path=/metrics'],
    ['quoted logfmt', 'msg="listening" address="http://127.0.0.1:41/"'],
    ['JSON', '{"level":"info","msg":"listening","address":"http://127.0.0.1:41"}'],
  ])('is found by the address that it logs as %s', (_, line) => {
    const others = 'msg="sandbox listening" address=http://127.0.0.1:7\n';
    expect(listeningAddress(`${others}${line}\n${others}`)).toBe('http://127.0.0.1:41');
    expect(listeningAddress(others)).toBeUndefined();
  });
});

describe('a tool that is missing or broken', () => {
  it('is named in one line that says what to install', () => {
    const nowhere = { PATH: '/nowhere', CHROMIUM_PATH: '' };
    expect(findTool('chromium', nowhere)).toBeUndefined();
    expect(() => toolPath('chromium', nowhere)).toThrow(
      /^chromium is missing: install it .* or set CHROMIUM_PATH.*$/,
    );
  });

  it('is not replaced by another where a variable names it', () => {
    expect(findTool('amtool', { AMTOOL_BIN: process.execPath })).toBe(process.execPath);
    expect(findTool('promtool', { PROMTOOL_BIN: '/nowhere/promtool' })).toBeUndefined();
  });

  it.each([
    ['prometheus', 'prometheus3'],
    ['promtool', 'promtool3'],
  ] as const)('is not taken for %s of another version', (two, three) => {
    const [path2, path3] = [toolPath(two), toolPath(three)];
    const variables = {
      prometheus: ['PROMETHEUS_BIN', 'PROMETHEUS3_BIN'],
      promtool: ['PROMTOOL_BIN', 'PROMTOOL3_BIN'],
    };
    const [of2 = '', of3 = ''] = variables[two];
    expect(findTool(two, { [of2]: path3 })).toBeUndefined();
    expect(findTool(three, { [of3]: path2 })).toBeUndefined();
    expect(() => toolPath(three, { [of3]: path2 })).toThrow(
      `${three} (3.x) is missing (${path2} is of another version): install it on the PATH (as ${two}), or set ${of3} to its path`,
    );
  });

  it('fails with what it printed, and at once, where it ends instead of starting', async () => {
    const broken = startServer({
      tool: 'prometheus',
      ready: '/-/ready',
      args: async () => ['--no-such-flag'],
    });
    await expect(broken).rejects.toThrow(/prometheus ended:.*no-such-flag/s);
  });

  it('fails as not found where it does not exist', async () => {
    await expect(runToEnd({ path: '/nowhere/tool', args: [] })).rejects.toThrow('ENOENT');
  });
});
