import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { type AlertSettings, SHIPPED as SHIPPED_SETTINGS } from '../../src/rules/shipped/alert-settings.ts';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import { TIMES, type Times } from '../../src/rules/shipped/times.ts';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { type Alertmanager, startAlertmanager } from './alertmanager.ts';
import { startExporter } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { startWebhook, type Webhook } from './webhook.ts';

const MINUTE = 60_000;
const PUBLISH_DELAY = 0;
const SHIPPED = join(import.meta.dirname, '..', '..', 'config', 'alertmanager.yaml');

function scaled<T>(times: T, factor: number): T {
  if (typeof times === 'number') return (times * factor) as T;
  if (Array.isArray(times)) return times.map((time) => scaled(time, factor)) as T;
  const entries = Object.entries(times as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, time]) => [name, scaled(time, factor)])) as T;
}

const FAST: Times = { ...scaled(TIMES, 1 / 60), keepFiring: 3_000 };

const SETTINGS: AlertSettings = {
  ...SHIPPED_SETTINGS,
  alerts: { EdgeDataStale: { values: { after: 75_000 } } },
};

/**
 * Returns both rule files in one, with short durations. These rules do not judge products, because the
 * platform's buckets are always old by them.
 */
function fastRules(): object {
  const { recording, alerts } = ruleFiles(SETTINGS, FAST);
  const groups = alerts.groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert, labels }) => alert !== 'EdgeDataStale' || labels.scope === 'account'),
  }));
  return { groups: [...recording.groups, ...groups] };
}

interface Route {
  readonly routes?: readonly Route[];
}

async function withoutWaits(webhook: string): Promise<object> {
  const { route, receivers, ...rest } = parse(await readFile(SHIPPED, 'utf8')) as {
    readonly route: Route;
    readonly receivers: readonly object[];
  };
  const times = { group_wait: '0s', group_interval: '1s', repeat_interval: '3s' };
  const hurried = (at: Route): Route => ({ ...at, ...times, routes: (at.routes ?? []).map(hurried) });
  const webhook_configs = [{ url: webhook, send_resolved: true }];
  return {
    ...rest,
    route: hurried(route),
    receivers: receivers.map((receiver) => ({ ...receiver, webhook_configs })),
  };
}

interface Rehearsal {
  readonly shop: Sandbox;
  readonly bank: Sandbox;
  readonly prometheus: Prometheus;
  readonly alertmanager: Alertmanager;
  readonly webhook: Webhook;
}

async function rehearse(): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'alerting-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The account `shop` has only a token, and its platform does not offer the REST analytics.
  const shop = accountOfPlatform(6, {
    restAnalytics: 'absent',
    graphqlRateLimit: 10_000,
    graphqlRateHeaders: 'sent',
  });
  const bank = accountOfPlatform(7);
  const accounts = [await accountAt('shop', shop), await accountAt('bank', bank)];
  const file = join(folder, 'exporter.yaml');
  await writeFile(file, stringify({ accounts }));
  const state = `--state.dir=${join(folder, 'state')}`;
  const exporter = await startExporter({ args: ['serve', `--config.file=${file}`, state] });
  onTestFinished(async () => void (await exporter.stop()));
  const webhook = await startWebhook();
  onTestFinished(() => webhook.stop());
  const alertmanager = await startAlertmanager(await withoutWaits(webhook.url));
  onTestFinished(() => alertmanager.stop());
  const prometheus = await startPrometheus({
    jobs: { 'edge-exporter': exporter.target },
    rules: fastRules(),
    alertmanagers: [alertmanager.url],
  });
  onTestFinished(() => prometheus.stop());
  await eventually('the rules know what is too much', async () => {
    const known = await prometheus.query('configuration:edge_waf_threats_per_minute:threshold');
    return new Set(known.map(({ labels }) => labels['account'])).size === accounts.length;
  });
  return { shop, bank, prometheus, alertmanager, webhook };
}

function accountOfPlatform(seed: number, options: SandboxOptions = {}): Sandbox {
  const rateLimit = { reads: 10_000, writes: 20, purges: 20 };
  return createSandbox({ seed, settleMs: 0, rateLimit, ...options });
}

async function accountAt(name: string, sandbox: Sandbox): Promise<object> {
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const products = { edge_applications: { by: ['configuration'], metrics: ['waf', 'status_code'] } };
  const schedule = '*/2 * * * * *';
  return {
    name,
    api_url: platform.url,
    token: DEFAULT_TOKEN.token,
    publish_delay: `${PUBLISH_DELAY / 1_000}s`,
    collectors: { metrics: { schedule, products }, domains: { schedule } },
  };
}

function inject(sandbox: Sandbox, kind: 'waf_attack' | '5xx_spike', nth: number, longer = 0): void {
  const from = Date.now();
  const to = endOfMinute(from) + longer * MINUTE;
  const configuration = [...sandbox.account.domains].map(({ id }) => id)[nth];
  sandbox.inject({ kind, configuration: Number(configuration), from, to, per_minute: 50_000 });
}

function endOfMinute(now: number): number {
  return Math.ceil(now / MINUTE) * MINUTE;
}

interface Alert {
  readonly name: string;
  readonly account: string;
  readonly status?: 'firing' | 'resolved';
}

function times({ received }: Webhook, { name, account, status = 'firing' }: Alert): number {
  return received.filter(({ alerts }) =>
    alerts.some(
      (alert) =>
        alert.labels['alertname'] === name && alert.labels['account'] === account && alert.status === status,
    ),
  ).length;
}

async function arrival(webhook: Webhook, alert: Alert, atLeast = 1): Promise<number> {
  const { name, account, status = 'firing' } = alert;
  await eventually(`${account} ${name} ${status}`, () => times(webhook, alert) >= atLeast, {
    evidence: () =>
      webhook.received.map(({ alerts }) => JSON.stringify(alerts.map(({ labels }) => labels))).join('\n'),
  });
  return Date.now();
}

const SHOP_ATTACKED: Alert = { name: 'EdgeWafSpike', account: 'shop' };
const SHOP_FAILS: Alert = { name: 'Edge5xxRatio', account: 'shop' };
const BANK_FAILS: Alert = { name: 'Edge5xxRatio', account: 'bank' };
const BANK_UNREACHABLE: Alert = { name: 'EdgePlatformUnreachable', account: 'bank' };
const BANK_STALE: Alert = { name: 'EdgeDataStale', account: 'bank' };

function failuresShown({ query }: Prometheus, account: string): Promise<unknown> {
  const failures = `sum(edge_responses_per_minute{account="${account}",class="5xx"}) > 5000`;
  const shown = async () => (await query(failures)).length > 0;
  return eventually(`failures of ${account}`, shown);
}

it('wakes somebody when an attack and failures are seen, tells when they are over, and what it cannot see', async () => {
  const { shop, bank, prometheus, alertmanager, webhook } = await rehearse();
  // The last seconds of a minute are too short for enough failures to report.
  await eventually('a minute of which enough is left', () => endOfMinute(Date.now()) - Date.now() > 10_000);
  const from = Date.now();
  inject(shop, 'waf_attack', 0);
  inject(shop, '5xx_spike', 1, 1);
  inject(bank, '5xx_spike', 0);

  // The check runs in parallel, because the next minute has no failures: it must see the last failures of the
  // account `bank`.
  const bankFails = failuresShown(prometheus, 'bank').then(() => {
    bank.faults.patch({ server_error: { probability: 1, status: 503, form: 'json' } });
    return arrival(webhook, BANK_FAILS, times(webhook, BANK_FAILS) + 1);
  });
  const arrivals = [...[SHOP_ATTACKED, SHOP_FAILS].map((alert) => arrival(webhook, alert)), bankFails];
  const [attack = 0, failures = 0] = (await Promise.all(arrivals)).map((at) => (at - from) / 1_000);
  const held = FAST.spike.begins / 1_000;
  const bound = (endOfMinute(from) - from + PUBLISH_DELAY) / 1_000 + held;
  process.stdout.write(
    `from injection to notification: attack ${attack.toFixed(1)} s, failures ${failures.toFixed(1)} s; ` +
      `not before ${bound.toFixed(1)} s (end of the bucket, publish delay, ${held} s of rule)\n`,
  );
  expect(attack).toBeGreaterThan(bound - 2);
  const page = webhook.received.find(({ alerts }) => alerts[0]?.labels['alertname'] === 'EdgeWafSpike');
  expect(page?.receiver).toBe('on-call');
  expect(page?.alerts[0]?.annotations['summary']).toMatch(/threats a minute on/);
  expect(page?.alerts[0]?.annotations['description']).toMatch(
    /against a threshold of [\d.]+k?, since .*\. The WAF blocks [\d.]+k? requests/,
  );

  // The last data of the account `bank` still pages: a ticket inhibits no page.
  await arrival(webhook, BANK_UNREACHABLE);
  const pages = (await alertmanager.alerts()).filter(({ labels }) => labels['severity'] === 'page');
  expect(pages.filter(({ labels }) => labels['account'] === 'bank').length).toBeGreaterThan(0);
  expect(pages.flatMap(({ status }) => status.inhibitedBy)).toEqual([]);

  // The platform answers again, but without metrics of the account `bank`.
  bank.faults.patch({ server_error: { probability: 1, status: 503, form: 'json', paths: ['/metrics/'] } });
  await Promise.all([
    arrival(webhook, { ...SHOP_ATTACKED, status: 'resolved' }),
    arrival(webhook, { ...SHOP_FAILS, status: 'resolved' }),
    arrival(webhook, BANK_STALE),
  ]);
  const told = webhook.received.flatMap(({ alerts }) => alerts);
  const stale = told.find(({ labels }) => labels['alertname'] === 'EdgeDataStale');
  expect(stale?.annotations['runbook_url']).toMatch(/#edgedatastale$/);
});
