import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AlertRule } from '../../../src/rules/shipped/rule.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { startAlertmanager } from '../../end-to-end/alertmanager.ts';
import { amtool } from '../../end-to-end/promtool.ts';
import { eventually } from '../../eventually.ts';

const CONFIG = join(import.meta.dirname, '..', '..', '..', 'config', 'alertmanager.yaml');

type Labels = Readonly<Record<string, string>>;

describe('the example of Alertmanager', () => {
  it.each([
    ['page', 'on-call'],
    ['ticket', 'tickets'],
    ['info', 'notes'],
  ])('sends a %s to %s', async (severity, receiver) => {
    const { stdout } = await amtool([
      'config',
      'routes',
      'test',
      `--config.file=${CONFIG}`,
      `severity=${severity}`,
    ]);
    expect(stdout.trim()).toBe(receiver);
  });

  const shop = { account: 'a', product: 'p', configuration: 'shop', scope: 'configuration' };
  const spike = { alertname: 'EdgeWafSpike', about: 'traffic', severity: 'page', metric: 'waf', ...shop };
  const surge = {
    ...spike,
    alertname: 'EdgeStatusCodeSurge',
    severity: 'ticket',
    metric: 'status_code',
    class: '4xx',
  };
  const stale = { ...shop, alertname: 'EdgeDataStale', about: 'exporter', severity: 'ticket', metric: 'waf' };
  const down = { alertname: 'EdgeExporterDown', about: 'exporter', severity: 'page', instance: 'one:9801' };
  const ofExporter = {
    alertname: 'EdgeSeriesDropped',
    about: 'exporter',
    severity: 'ticket',
    instance: 'one:9801',
  };
  const { configuration: _configuration, ...ofAccount } = { ...spike, scope: 'account' };
  const elevated = { ...spike, alertname: 'EdgeWafElevated', severity: 'ticket' };
  it.each<[string, Labels, Labels, boolean]>([
    ['stale data inhibits no page', stale, spike, false],
    ['stale data inhibits tickets that are made of it', stale, elevated, true],
    ['stale data of one metric inhibits nothing of another', stale, surge, false],
    [
      'stale data of one configuration inhibits nothing of another',
      stale,
      { ...elevated, configuration: 'blog' },
      false,
    ],
    ['stale data inhibits nothing of another product', stale, { ...elevated, product: 'q' }, false],
    [
      'stale data inhibits no setting',
      stale,
      { alertname: 'EdgeWafCounting', about: 'settings', severity: 'ticket', account: 'a' },
      false,
    ],
    [
      'a whole account without data is told once',
      { alertname: 'EdgeDataStale', about: 'exporter', severity: 'ticket', scope: 'account', account: 'a' },
      stale,
      true,
    ],
    ['an exporter that is down inhibits its own tickets', down, ofExporter, true],
    ["an exporter that is down inhibits no other's", down, { ...ofExporter, instance: 'two:9801' }, false],
    ['an exporter that is down inhibits no page', down, spike, false],
    [
      'no exporter at all inhibits nothing',
      { ...down, instance: '' },
      { alertname: 'EdgeQuotaNearlySpent', about: 'exporter', severity: 'ticket', account: 'a' },
      false,
    ],
    ['a configuration inhibits its account', spike, ofAccount, true],
    ['an account inhibits no configuration', ofAccount, spike, false],
    [
      "a configuration's ticket inhibits no page of its account",
      { ...shop, alertname: 'EdgeTrafficDrop', about: 'traffic', severity: 'ticket' },
      { ...ofAccount, alertname: 'EdgeTrafficDrop', severity: 'page' },
      false,
    ],
    ['what an attack is answered with is a part of it', spike, surge, true],
    ['so are the requests that it consists of', spike, { ...spike, alertname: 'EdgeTrafficFlood' }, true],
    ['on another configuration it is something else', spike, { ...surge, configuration: 'blog' }, false],
    [
      'failures during an attack are told',
      spike,
      { ...spike, alertname: 'Edge5xxRatio', metric: 'status_code' },
      false,
    ],
  ])('%s', async (_, source, target, silenced) => {
    const alertmanager = await startAlertmanager(await readFile(CONFIG, 'utf8'));
    onTestFinished(() => alertmanager.stop());
    await alertmanager.send([{ labels: source }, { labels: target }]);
    const inhibitors = async () => {
      const alerts = await alertmanager.alerts();
      const found = alerts.find(({ labels }) =>
        Object.entries(target).every(([name, value]) => labels[name] === value),
      );
      const processed = alerts.length === 2 && alerts.every(({ status }) => status.state !== 'unprocessed');
      return processed ? found?.status.inhibitedBy.length : undefined;
    };
    const first = await eventually('the alerts have been processed', inhibitors);
    // What inhibits takes in alerts by itself, and may do so a moment later.
    if (silenced) await eventually('the alert is inhibited', async () => (await inhibitors()) === 1);
    else expect(first).toBe(0);
  });

  it('lets every page through that no page inhibits, whatever tickets there are of the same configuration', async () => {
    const alertmanager = await startAlertmanager(await readFile(CONFIG, 'utf8'));
    onTestFinished(() => alertmanager.stop());
    const sent = ruleFiles().alerts.groups.flatMap(({ rules }) => rules.map(labelsOf));
    await alertmanager.send(sent.map((labels) => ({ labels })));
    const held = await eventually('the alerts have been processed', async () => {
      const alerts = await alertmanager.alerts();
      return alerts.length > 30 && alerts.every(({ status }) => status.state !== 'unprocessed') && alerts;
    });
    const severities = new Map(held.map(({ fingerprint, labels }) => [fingerprint, labels['severity']]));
    const pages = held.filter(({ labels }) => labels['severity'] === 'page');
    expect(pages.length).toBeGreaterThan(8);
    for (const { labels, status } of pages) {
      const by = status.inhibitedBy.map((fingerprint) => severities.get(fingerprint));
      expect(
        by.filter((severity) => severity !== 'page'),
        JSON.stringify(labels),
      ).toEqual([]);
    }
  });
});

/** An alert of a rule, of the one configuration, exporter and metric that all of them are of. */
function labelsOf({ alert, labels }: AlertRule): Labels {
  const configuration = labels.scope === 'account' ? {} : { configuration: 'shop' };
  const common = { account: 'a', product: 'p', instance: 'one:9801', ...configuration };
  const own = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { metric: 'waf', ...common, ...Object.fromEntries(own), alertname: alert };
}
