import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAlertmanager } from '../end-to-end/alertmanager.ts';
import { amtool } from '../end-to-end/promtool.ts';
import { eventually } from '../eventually.ts';

const CONFIG = join(import.meta.dirname, '..', '..', 'config', 'alertmanager.yaml');

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

  const spike = { alertname: 'EdgeWafSpike', about: 'traffic', account: 'a', product: 'p' };
  it.each<[string, Labels, Labels, boolean]>([
    [
      'stale data silences a spike of the same account',
      { alertname: 'EdgeDataStale', about: 'exporter', account: 'a' },
      { ...spike, scope: 'account' },
      true,
    ],
    [
      'stale data silences no spike of another account',
      { alertname: 'EdgeDataStale', about: 'exporter', account: 'b' },
      { ...spike, scope: 'account' },
      false,
    ],
    [
      'stale data silences no setting',
      { alertname: 'EdgeDataStale', about: 'exporter', account: 'a' },
      { alertname: 'EdgeWafOff', about: 'settings', account: 'a' },
      false,
    ],
    [
      'an exporter that is down silences everything else',
      { alertname: 'EdgeExporterDown', about: 'exporter' },
      { alertname: 'EdgeWafOff', about: 'settings', account: 'a' },
      true,
    ],
    [
      'an exporter that is down is told',
      { alertname: 'EdgeDataStale', about: 'exporter', account: 'a' },
      { alertname: 'EdgeExporterDown', about: 'exporter' },
      false,
    ],
    [
      'a configuration silences its account',
      { ...spike, scope: 'configuration', configuration: 'shop' },
      { ...spike, scope: 'account' },
      true,
    ],
    [
      'an account silences no configuration',
      { ...spike, scope: 'account' },
      { ...spike, scope: 'configuration', configuration: 'shop' },
      false,
    ],
    [
      'a spike silences what is blocked of it',
      { ...spike, scope: 'configuration', configuration: 'shop' },
      { ...spike, alertname: 'EdgeWafBlockedSpike', scope: 'configuration', configuration: 'shop' },
      true,
    ],
  ])('%s', async (_, source, target, silenced) => {
    const alertmanager = await startAlertmanager(await readFile(CONFIG, 'utf8'));
    onTestFinished(() => alertmanager.stop());
    await alertmanager.send([{ labels: source }, { labels: target }]);
    const held = await eventually('the alerts have been processed', async () => {
      const alerts = await alertmanager.alerts();
      const done = alerts.length === 2 && alerts.every(({ status }) => status.state !== 'unprocessed');
      return done ? alerts : undefined;
    });
    const found = held.find(({ labels }) =>
      Object.entries(target).every(([name, value]) => labels[name] === value),
    );
    expect(found?.status.inhibitedBy.length).toBe(silenced ? 1 : 0);
  });
});
