import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Input } from '../../../src/rules/promql/evaluation.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { DAY, drawCharacter } from '../../bench/alerts/background.ts';
import { inputsOf } from '../../bench/alerts/history.ts';
import { attack, fail, multiply } from '../../bench/alerts/inject.ts';
import { Random } from '../../bench/alerts/random.ts';
import { drawSite, type Site } from '../../bench/alerts/site.ts';
import { type Alertmanager, startAlertmanager } from '../../end-to-end/alertmanager.ts';
import { startWebhook, type Webhook } from '../../end-to-end/webhook.ts';
import { evaluate, type FiredAlert } from '../evaluate.ts';

const MINUTE = 60_000;
const LENGTH = DAY + 120;
const FROM = DAY + 30;
const CONFIG = join(import.meta.dirname, '..', '..', '..', 'config', 'alertmanager.yaml');

const FASTER = 60;

type Sites = readonly [Site, Site, Site];

const INCIDENTS: Readonly<Record<string, (random: Random, sites: Sites) => void>> = {
  attack: (_random, [shop]) => attack(shop, FROM, new Float64Array(25).fill(3_000)),
  'attack on all': (_random, sites) => {
    const delays = [0, 2, 3];
    for (const [index, site] of sites.entries())
      attack(site, FROM + (delays[index] ?? 0), new Float64Array(25).fill(2_000));
  },
  failure: (random, [shop]) => fail(random, shop, FROM, new Float64Array(25).fill(0.3)),
  'small failure': (random, [shop]) => fail(random, shop, FROM, new Float64Array(70).fill(0.05)),
  restart: (random, [shop]) => fail(random, shop, FROM, new Float64Array(2).fill(1)),
  'flash sale': (_random, [shop]) => multiply(shop, FROM, new Float64Array(30).fill(6)),
};

function drawAccount(account: string, index: number): readonly Input[] {
  const random = new Random(100 + index);
  const days = { ...drawCharacter(random, 1), weekend: 1 };
  const draw = (name: string): Site =>
    drawSite(random.fork(name.length), {
      name,
      days,
      level: 2_000,
      threats: 5,
      minutes: LENGTH,
      shifts: [],
    });
  const sites = [draw('shop'), draw('login'), draw('support')] as const;
  INCIDENTS[account]?.(random, sites);
  return sites.flatMap((site, id) => inputsOf(site, account, String(id)));
}

function incidentAlerts(): readonly FiredAlert[] {
  const { recording, alerts } = ruleFiles();
  const ofTraffic = alerts.groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ labels }) => labels.about === 'traffic'),
  }));
  const fired = evaluate({
    groups: [...recording.groups, ...ofTraffic],
    inputs: Object.keys(INCIDENTS).flatMap(drawAccount),
    step: MINUTE,
    start: 0,
    steps: LENGTH,
  });
  return fired.filter(({ from }) => from >= FROM * MINUTE);
}

const STALE: FiredAlert = {
  from: FROM * MINUTE,
  to: LENGTH * MINUTE,
  open: true,
  labels: {
    alertname: 'EdgeDataStale',
    severity: 'ticket',
    about: 'exporter',
    scope: 'configuration',
    account: 'attack',
    product: 'p',
    configuration: 'shop',
    metric: 'waf',
  },
};

const CAUSES = [
  'EdgeWafElevated',
  'EdgeStatusCodeSurge',
  'Edge5xxRatio',
  'EdgeTrafficDrop',
  'EdgeOffloadCollapse',
] as const;

const PAIRS = CAUSES.flatMap((first) =>
  CAUSES.filter((second) => second !== first).map((second) => ({
    first,
    second,
    account: `${first}-${second}`,
  })),
);

function pairAlerts({ first, second, account }: (typeof PAIRS)[number]): readonly FiredAlert[] {
  const ticket = (alertname: string, from: number, to: number): FiredAlert => ({
    from: (FROM + from) * MINUTE,
    to: (FROM + to) * MINUTE,
    open: false,
    labels: {
      alertname,
      severity: 'ticket',
      about: 'traffic',
      scope: 'configuration',
      account,
      product: 'p',
      configuration: 'shop',
    },
  });
  return [ticket(first, 0, 25), ticket(second, 15, 55)];
}

async function fasterConfig(webhook: string): Promise<object> {
  const text = await readFile(CONFIG, 'utf8');
  const units: Readonly<Record<string, number>> = {
    s: 1_000,
    m: MINUTE,
    h: 60 * MINUTE,
    d: DAY * MINUTE,
    w: 7 * DAY * MINUTE,
  };
  const faster = text.replaceAll(
    /((?:wait|interval): )(\d+)([smhdw])$/gm,
    (_, name: string, count: string, unit: string) =>
      `${name}${Math.round((Number(count) * (units[unit] ?? 0)) / FASTER)}ms`,
  );
  const config = parse(faster) as { readonly receivers: readonly object[] };
  const webhook_configs = [{ url: webhook, send_resolved: false }];
  return { ...config, receivers: config.receivers.map((receiver) => ({ ...receiver, webhook_configs })) };
}

/** Sends the alerts of each minute to Alertmanager, second by second, as Prometheus does. */
async function replay(alertmanager: Alertmanager, fired: readonly FiredAlert[]): Promise<void> {
  const began = Date.now();
  const wall = (moment: number): string => new Date(began + (moment - FROM * MINUTE) / FASTER).toISOString();
  const far = new Date(began + 3_600_000).toISOString();
  for (let minute = FROM; minute < LENGTH - 10; minute++) {
    const now = minute * MINUTE;
    const known = fired.filter(({ from, to }) => from <= now && now <= to + 2 * MINUTE);
    await alertmanager.send(
      known.map(({ labels, from, to }) => ({
        labels,
        startsAt: wall(from),
        endsAt: to <= now ? wall(to) : far,
      })),
    );
    await pause(Math.max(0, began + ((minute + 1 - FROM) * MINUTE) / FASTER - Date.now()));
  }
}

describe('an incident, replayed through a real Alertmanager with the shipped configuration,', () => {
  let webhook: Webhook;
  const fired = incidentAlerts();

  beforeAll(async () => {
    webhook = await startWebhook();
    const alertmanager = await startAlertmanager(await fasterConfig(webhook.url));
    await replay(alertmanager, [...fired, STALE, ...PAIRS.flatMap(pairAlerts)]);
    await alertmanager.stop();
    return () => webhook.stop();
  });

  const told = (account: string, receiver: string): number =>
    webhook.received.filter(
      ({ receiver: who, alerts }) =>
        who === receiver &&
        alerts.some(({ labels }) => labels['account'] === account && labels['about'] === 'traffic'),
    ).length;

  it.each([
    ['an attack', 'attack', 1, 1],
    ['an attack on all configurations, on some of them minutes later', 'attack on all', 1, 1],
    ['a failure', 'failure', 1, 0],
    ['a failure of some requests for more than an hour', 'small failure', 1, 0],
    ['a restart', 'restart', 0, 1],
    ['a flash sale that succeeds', 'flash sale', 0, 1],
  ])('%s: whoever is on call is told as often as there is a cause', (_, account, pages, tickets) => {
    const all = webhook.received.map(
      ({ receiver, alerts }) =>
        `${receiver}: ${alerts.map(({ labels }) => JSON.stringify(labels)).join(' ')}`,
    );
    expect(told(account, 'on-call'), all.join('\n')).toBe(pages);
    expect(told(account, 'tickets'), all.join('\n')).toBeLessThanOrEqual(tickets);
  });

  it.each(PAIRS)('a ticket $second that begins during a ticket $first is heard of', ({ second, account }) => {
    const heard = webhook.received.flatMap(({ alerts }) => alerts.map(({ labels }) => labels));
    expect(
      heard.filter((labels) => labels['account'] === account && labels['alertname'] === second).length,
    ).toBe(1);
  });

  it('stale data of the configuration keeps nobody from being told of the attack on it', () => {
    const stale = webhook.received.filter(({ alerts }) => alerts[0]?.labels['alertname'] === 'EdgeDataStale');
    expect(stale.length).toBe(1);
    expect(told('attack', 'on-call')).toBe(1);
  });
});
