import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ruleFiles } from '../../config/prometheus/source/rule-files.ts';
import { scaled, THRESHOLDS, type Thresholds } from '../../config/prometheus/source/thresholds.ts';
import { createSandbox, DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { startAlertmanager, webhookOnly } from './alertmanager.ts';
import { startExporter } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { type Notification, startWebhook, type Webhook } from './webhook.ts';

const MINUTE = 60_000;
const PUBLISH_DELAY = 0;
const POLL_INTERVAL = 2_000;

/** A minute of the rules is a second; only what depends on the platform's own minutes is not faster. */
const FAST: Thresholds = (() => {
  const fast = scaled(THRESHOLDS, 1 / 60);
  return { ...fast, times: { ...fast.times, keepFiring: 3_000, staleData: 75_000 } };
})();

/** Both rule files in one; the platform's buckets are always old by fast rules, so products are not judged. */
function fastRules(): object {
  const { recording, alerts } = ruleFiles(FAST);
  const groups = alerts.groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ alert, labels }) => alert !== 'EdgeDataStale' || labels.scope === 'account'),
  }));
  return { groups: [...recording.groups, ...groups] };
}

interface Rehearsal {
  readonly sandbox: Sandbox;
  readonly prometheus: Prometheus;
  readonly webhook: Webhook;
}

/** The platform in this process, and everything from the exporter to the webhook as processes. */
async function rehearse(): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'alerting-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const sandbox = createSandbox({
    seed: 6,
    settleMs: 0,
    rateLimit: { reads: 10_000, writes: 20, purges: 20 },
  });
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const file = join(folder, 'exporter.yaml');
  await writeFile(file, stringify({ accounts: [accountAt(platform.url)] }));
  const state = `--state.dir=${join(folder, 'state')}`;
  const exporter = await startExporter({ args: ['serve', `--config.file=${file}`, state] });
  onTestFinished(async () => void (await exporter.stop()));
  const webhook = await startWebhook();
  onTestFinished(() => webhook.stop());
  const alertmanager = await startAlertmanager(webhookOnly(webhook.url));
  onTestFinished(() => alertmanager.stop());
  const prometheus = await startPrometheus({
    jobs: { 'edge-exporter': exporter.target },
    rules: fastRules(),
    alertmanagers: [alertmanager.url],
  });
  onTestFinished(() => prometheus.stop());
  return { sandbox, prometheus, webhook };
}

function accountAt(url: string): object {
  const products = { edge_applications: { by: ['configuration'], metrics: ['waf', 'status_code'] } };
  const schedule = `*/${POLL_INTERVAL / 1_000} * * * * *`;
  return {
    name: 'sandbox',
    api_url: url,
    token: DEFAULT_TOKEN.token,
    publish_delay: `${PUBLISH_DELAY / 1_000}s`,
    collectors: { metrics: { schedule, products } },
  };
}

function about(alert: string, status: 'firing' | 'resolved'): (notification: Notification) => boolean {
  return ({ alerts }) =>
    alerts.some(({ labels, status: now }) => labels['alertname'] === alert && now === status);
}

/** Waits for a notification as long as the platform's own minutes make it take. */
function received(
  { received: all }: Webhook,
  matches: (notification: Notification) => boolean,
  what: string,
): Promise<Notification> {
  return eventually(what, () => all.find(matches), {
    within: 150_000,
    evidence: () => all.map(({ status, alerts }) => `${status} ${alerts[0]?.labels['alertname']}`).join('\n'),
  });
}

/** A bucket must be young when something begins in it, and old enough to close soon. */
async function lateInAMinute(): Promise<number> {
  const into = Date.now() % MINUTE;
  await pause(into <= 40_000 ? 40_000 - into : MINUTE - into + 40_000);
  return Date.now();
}

it('wakes somebody when an attack and failures are seen, and tells when they are over', async () => {
  const { sandbox, prometheus, webhook } = await rehearse();
  await eventually(
    'the rules know what is usual',
    async () => {
      const known = await prometheus.query('configuration:edge_waf_threats_per_minute:drift1h');
      return known.length > 0;
    },
    { within: 120_000 },
  );
  const [site, other] = [...sandbox.account.domains].map(({ id }) => id);
  const from = await lateInAMinute();
  const to = Math.ceil(from / MINUTE) * MINUTE;
  sandbox.inject({ kind: 'waf_attack', configuration: Number(site), from, to, per_minute: 50_000 });
  sandbox.inject({ kind: '5xx_spike', configuration: Number(other), from, to, per_minute: 50_000 });
  const arrival = async (alert: string): Promise<number> => {
    await received(webhook, about(alert, 'firing'), alert);
    return (Date.now() - from) / 1_000;
  };
  const [attack, failures] = await Promise.all([arrival('EdgeWafSpike'), arrival('Edge5xxRatio')]);
  const held = (FAST.spike.minutes.above * FAST.times.minute) / 1_000;
  const bound = (to - from + PUBLISH_DELAY) / 1_000 + held;
  process.stdout.write(
    `from injection to notification: attack ${attack.toFixed(1)} s, failures ${failures.toFixed(1)} s; ` +
      `not before ${bound.toFixed(1)} s (end of the bucket, publish delay, ${held} s of rule)\n`,
  );
  expect(attack).toBeGreaterThan(bound - 2);
  const spike = webhook.received.find(about('EdgeWafSpike', 'firing'));
  expect(spike?.alerts[0]?.annotations['summary']).toMatch(/threats a minute on/);
  expect(spike?.alerts[0]?.annotations['description']).toMatch(/more than [\d.]+k? are too many/);
  await eventually(
    'both are resolved',
    () => ['EdgeWafSpike', 'Edge5xxRatio'].every((alert) => webhook.received.some(about(alert, 'resolved'))),
    { within: 180_000, every: 500 },
  );
}, 420_000);

it('tells of an account whose data is old', async () => {
  const { sandbox, prometheus, webhook } = await rehearse();
  await eventually(
    'data has come',
    async () => (await prometheus.query('edge_waf_threats_per_minute')).length > 0,
    {
      within: 90_000,
    },
  );
  sandbox.faults.patch({ server_error: { probability: 1, status: 503, form: 'json' } });
  const notified = await received(webhook, about('EdgeDataStale', 'firing'), 'old data');
  expect(notified.alerts[0]?.annotations['runbook_url']).toMatch(/#edgedatastale$/);
}, 240_000);
