import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ACT, OF_CAUSES } from '../../../grafana/source/data-troubles.ts';
import { filledIn } from '../../../grafana/source/filled-in.ts';
import { TOLD } from '../../../grafana/source/troubles.ts';
import type { CauseKind } from '../../../src/exporter/facts/cause.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { PROMTOOLS, testRules } from '../../end-to-end/promtool.ts';

const ACCOUNT = 'account="a"';

type Given = Readonly<Record<string, string>>;

const UP: Given = { [`edge_up{${ACCOUNT}}`]: '1x10' };
const because = (cause: string): Given => ({
  ...UP,
  [`edge_trouble_info{${ACCOUNT}, cause="${cause}"}`]: '1x10',
});
const alert = (name: string, severity = 'page', about = ACCOUNT): Given => ({
  [`ALERTS{${about}, alertname="${name}", alertstate="firing", severity="${severity}"}`]: '1x10',
});
const INSTANCE = 'instance="edge:9801", job="edge-exporter"';
const state = (durable: 0 | 1): Given => ({
  'edge_exporter_state_durable{directory="/state", instance="edge:9801", job="edge-exporter"}': `${durable}x10`,
});

type Told = readonly (readonly [account: string, trouble: string, act: number])[];

const UNPROTECTED = 'sites are unprotected: a WAF or a firewall was switched off';

const WORDS_OF_PAGES = {
  Edge5xxRatio: 'visitors get errors: too many responses are 5xx',
  EdgeTrafficDrop: 'a site is dead: visitors do not arrive',
  EdgeWafOff: UNPROTECTED,
  EdgeFirewallDisabled: UNPROTECTED,
  EdgeCertificateExpiring: 'a certificate has expired or expires soon: browsers warn visitors',
  EdgeTokenExpiring: 'the token expires soon: then there is no new data',
  EdgeDataStale: 'there is no traffic data: an attack would not be seen',
} as const;

const CASES: readonly (readonly [what: string, given: Given, told: Told])[] = [
  ['nothing while all is well', { ...UP, ...state(1) }, []],
  ['nothing of tickets, of which there is a list', { ...UP, ...alert('Edge5xxRatio', 'ticket') }, []],
  [
    'an attack',
    { ...UP, ...alert('EdgeWafSpike'), ...alert('EdgeWafFamilyAttack') },
    [['a', 'is under attack: the WAF sees far more threats than usual', 2]],
  ],
  ...Object.entries(OF_CAUSES).flatMap(([causes, { says, act }]) =>
    causes
      .split('|')
      .map((cause) => [`in words the cause ${cause}`, because(cause), [['a', says, ACT[act]]]] as const),
  ),
  [
    'an account that two exporters poll',
    { ...UP, ...alert('EdgeAccountPolledTwice', 'ticket') },
    [['a', 'two exporters poll it: they use the quota twice, and your own sums may be doubled', 1]],
  ],
  [
    'a state that cannot be written',
    {
      ...UP,
      ...state(1),
      'edge_exporter_state_errors_total{instance="edge:9801", job="edge-exporter"}': '0+2x10',
    },
    [['all of edge:9801', 'the state cannot be written, so counters do not rise', 1]],
  ],
  [
    'counters that are withheld, and not that they stand still as well',
    {
      ...UP,
      ...state(0),
      'edge_exporter_state_errors_total{instance="edge:9801", job="edge-exporter"}': '0+2x10',
    },
    [['all of edge:9801', 'the state cannot be used, so the exporter withholds counters', 1]],
  ],
  ...Object.entries(WORDS_OF_PAGES).map(
    ([name, trouble]) =>
      [`in its own words ${name}`, { ...UP, ...alert(name) }, [['a', trouble, 2]]] as const,
  ),
  [
    'a page once for an account, however many configurations it is about',
    {
      ...UP,
      ...alert('Edge5xxRatio', 'page', `${ACCOUNT}, configuration="shop"`),
      ...alert('Edge5xxRatio', 'page', `${ACCOUNT}, configuration="blog"`),
    },
    [['a', WORDS_OF_PAGES.Edge5xxRatio, 2]],
  ],
  [
    'the refused token alone, of one that was about to expire',
    { ...because('unauthorized'), ...alert('EdgeTokenExpiring') },
    [['a', OF_CAUSES.unauthorized.says, 2]],
  ],
  [
    'a page of a ticket that somebody has made one',
    { ...UP, ...alert('Edge4xxRatio'), ...alert('EdgePollsFailing') },
    [
      ['a', 'another page fires: Edge4xxRatio', 2],
      ['a', 'another page fires: EdgePollsFailing', 2],
    ],
  ],
  [
    'an exporter that is down',
    { ...UP, ...alert('EdgeExporterDown', 'page', INSTANCE) },
    [['all of edge:9801', 'the exporter is down: nothing that it polls is seen', 2]],
  ],
  [
    'another page of an exporter',
    { ...UP, ...alert('EdgePushLosing', 'page', INSTANCE) },
    [['all of edge:9801', 'another page fires: EdgePushLosing', 2]],
  ],
  [
    'that nothing is known, once, where Prometheus has no exporter',
    alert('EdgeExporterDown', 'page', 'job="edge-exporter"'),
    [['none', 'no data: Prometheus scrapes no exporter with such an account', 2]],
  ],
  [
    'that nothing is known',
    { 'edge_exporter_polls_total{account="a"}': '3+1x10' },
    [['none', 'no data: Prometheus scrapes no exporter with such an account', 2]],
  ],
];

const KINDS: Readonly<Record<CauseKind, boolean>> = {
  unauthorized: true,
  forbidden: true,
  not_found: true,
  not_acceptable: true,
  rate_limited: true,
  server_error: true,
  timeout: true,
  network: true,
  undecodable: true,
  unreachable: true,
  quota: true,
  platform_late: true,
  exporter_late: true,
  nothing_there: true,
  first_polls: false,
  not_read_yet: true,
  counters_behind: true,
  rows_missing: true,
  clock: true,
  platform_clock: true,
};

it('has words for every cause that the exporter names, but first polls', () => {
  const wanted = Object.entries(KINDS).flatMap(([kind, isSaid]) => (isSaid ? [kind] : []));
  expect(
    Object.keys(OF_CAUSES)
      .flatMap((kinds) => kinds.split('|'))
      .sort(),
  ).toEqual(wanted.sort());
});

it('tells every alert that pages as shipped in words of its own', () => {
  const shipped = ruleFiles().alerts.groups.flatMap(({ rules }) => rules);
  const paging = shipped.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
  expect(new Set(paging)).toEqual(
    new Set([...Object.keys(WORDS_OF_PAGES), 'EdgeWafSpike', 'EdgeExporterDown']),
  );
});

it.each(PROMTOOLS)('every dashboard tells each trouble in the words for it (%s)', async (tool) => {
  const folder = await mkdtemp(join(tmpdir(), 'troubles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const expr = `sum by (account, trouble) (${filledIn(TOLD, { account: '.+' })})`;
  const tests = CASES.map(([what, given, told]) => ({
    name: what,
    interval: '1m',
    input_series: Object.entries(given).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      {
        expr,
        eval_time: '10m',
        exp_samples: told.map(([account, trouble, act]) => ({
          labels: `{account="${account}", trouble="${trouble}"}`,
          value: act,
        })),
      },
    ],
  }));
  const file = join(folder, 'test.yml');
  await writeFile(file, stringify({ tests }, { lineWidth: 0 }));
  expect(await testRules(tool, file)).toBe('');
});
