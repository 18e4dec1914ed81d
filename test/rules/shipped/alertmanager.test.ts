import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { AlertRule } from '../../../src/rules/shipped/rule.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { type Alertmanager, startAlertmanager } from '../../end-to-end/alertmanager.ts';
import { amtool } from '../../end-to-end/promtool.ts';
import { eventually } from '../../eventually.ts';

const CONFIG = join(import.meta.dirname, '..', '..', '..', 'config', 'alertmanager.yaml');

type Labels = Readonly<Record<string, string>>;

interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

function rules(): readonly InhibitRule[] {
  return (parse(readFileSync(CONFIG, 'utf8')) as { readonly inhibit_rules: readonly InhibitRule[] })
    .inhibit_rules;
}

function fitting(matchers: readonly string[]): readonly Labels[] {
  return matchers.reduce<readonly Labels[]>(
    (all, matcher) => {
      const [, name = '', operator = '', value = ''] = /^(\w+)(=~|!=|=)"(.*)"$/.exec(matcher) ?? [];
      const values = operator === '!=' ? [name === 'severity' ? 'ticket' : 'some'] : value.split('|');
      return all.flatMap((labels) => values.map((one) => ({ ...labels, [name]: one })));
    },
    [{}],
  );
}

type RuleCase = readonly [name: string, source: Labels, target: Labels, silenced: boolean];

function ruleCases({ source_matchers, target_matchers, equal }: InhibitRule): readonly RuleCase[] {
  const here = { account: 'a', product: 'p', configuration: 'shop', metric: 'waf', instance: 'some' };
  return fitting(source_matchers).flatMap((one) =>
    fitting(target_matchers).flatMap((other): readonly RuleCase[] => {
      const [source, target] = [
        { ...here, ...one },
        { ...here, which: 'target', ...other },
      ];
      const elsewhere = equal.map(
        (name): RuleCase => [`of another ${name}`, source, { ...target, [name]: 'another' }, false],
      );
      const page: readonly RuleCase[] = target_matchers.includes('severity!="page"')
        ? [['as a page', source, { ...target, severity: 'page' }, false]]
        : [];
      const said = [source_matchers, JSON.stringify(other)].join(' ');
      return [['here', source, target, true] as const, ...elsewhere, ...page].map(
        ([where, from, to, silenced]): RuleCase => [`${said} ${where}`, from, to, silenced],
      );
    }),
  );
}

describe('the example of Alertmanager', () => {
  let shared: Alertmanager;
  let sent = 0;
  beforeAll(async () => {
    shared = await startAlertmanager(await readFile(CONFIG, 'utf8'));
    return () => shared.stop();
  });

  async function inhibited(source: Labels, target: Labels): Promise<boolean> {
    sent += 1;
    const number = String(sent);
    const own = (labels: Labels): Labels => ({
      ...labels,
      ...(labels['account'] && { account: `${labels['account']}-${number}` }),
      ...(labels['instance'] && { instance: `${labels['instance']}-${number}` }),
      case: number,
    });
    // Alertmanager processes alerts in order. When the last one is silenced, the others have been processed.
    const last = { ...ofExporter, instance: `last-${number}`, case: number };
    const all = [own(source), own(target), { ...down, instance: last.instance }, last];
    await shared.send(all.map((labels) => ({ labels })));
    const silenced = async (wanted: Labels): Promise<boolean> => {
      const found = (await shared.alerts()).find(({ labels }) => isDeepStrictEqual(labels, wanted));
      if (found === undefined) throw new Error(`no alert ${JSON.stringify(wanted)}`);
      return found.status.inhibitedBy.length > 0;
    };
    await eventually('the last alert is silenced', () => silenced(last));
    return await silenced(own(target));
  }

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
  const unseen = {
    alertname: 'EdgeDataStale',
    about: 'exporter',
    severity: 'page',
    scope: 'account',
    account: 'a',
  };
  const { scope: _scope, ...ofAll } = unseen;
  const unreachable = { ...ofAll, alertname: 'EdgePlatformUnreachable', severity: 'ticket' };
  const expired = { ...ofAll, alertname: 'EdgeTokenExpiring' };
  it.each<[string, Labels, Labels, boolean]>([
    ['an account that is not seen is one page: its cause is no other', unseen, expired, true],
    ['nor a ticket', unseen, unreachable, true],
    ['of another account it may be', unseen, { ...expired, account: 'b' }, false],
    ['a platform that is out of reach inhibits no page of what is not seen', unreachable, unseen, false],
    ['an account that is not seen inhibits no attack on it', unseen, spike, false],
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
    ['a whole account without data is told once', unseen, stale, true],
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
    expect(await inhibited(source, target)).toBe(silenced);
  });

  it.each(rules().flatMap(ruleCases))(
    'inhibits what a rule says, and no more: %s',
    async (_, source, target, silenced) => {
      expect(await inhibited(source, target)).toBe(silenced);
    },
  );

  it('lets every page through that no page inhibits, whatever tickets there are of the same configuration', async () => {
    const alertmanager = await startAlertmanager(await readFile(CONFIG, 'utf8'));
    onTestFinished(() => alertmanager.stop());
    const sent = ruleFiles().alerts.groups.flatMap(({ rules }) => rules.flatMap(labelsOf));
    await alertmanager.send(sent.map((labels) => ({ labels })));
    const held = await eventually('the alerts have been processed', async () => {
      const alerts = await alertmanager.alerts();
      return alerts.length > 30 && alerts.every(({ status }) => status.state !== 'unprocessed') && alerts;
    });
    const severities = new Map(held.map(({ fingerprint, labels }) => [fingerprint, labels['severity']]));
    const pages = held.filter(({ labels }) => labels['severity'] === 'page');
    expect(pages.length).toBeGreaterThan(6);
    for (const { labels, status } of pages) {
      const by = status.inhibitedBy.map((fingerprint) => severities.get(fingerprint));
      expect(
        by.filter((severity) => severity !== 'page'),
        JSON.stringify(labels),
      ).toEqual([]);
    }
  });
});

function labelsOf({ alert, expr, labels }: AlertRule): readonly Labels[] {
  const scopes = [...expr.matchAll(/, "scope", "(\w+)", "", ""\)/g)].map(([, scope]) => ({ scope }));
  const own = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return (scopes.length === 0 ? [{}] : scopes).map((scope: { readonly scope?: string | undefined }) => {
    const configuration = scope.scope === 'account' ? {} : { configuration: 'shop' };
    const common = { account: 'a', product: 'p', instance: 'one:9801', metric: 'waf', ...configuration };
    return { ...common, ...Object.fromEntries(own), ...scope, alertname: alert };
  });
}
