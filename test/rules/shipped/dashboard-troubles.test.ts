import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { filledIn } from '../../../grafana/source/filled-in.ts';
import { TOLD } from '../../../grafana/source/troubles.ts';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { PROMTOOLS, testRules } from '../../end-to-end/promtool.ts';

const ACCOUNT = 'account="a"';
const NO_DATA = 'no new data: the platform';

/** Series -> values, a minute apart. */
type Given = Readonly<Record<string, string>>;

const UP: Given = { [`edge_up{${ACCOUNT}}`]: '1x10' };
const DOWN: Given = { [`edge_up{${ACCOUNT}}`]: '0x10' };
const polls = (outcome: string): Given => ({
  [`edge_exporter_polls_total{${ACCOUNT}, collector="metrics", outcome="${outcome}"}`]: '3+1x10',
});
const refused: Given = { [`edge_exporter_operations_total{${ACCOUNT}, status="429"}`]: '0+2x10' };
/** Ten minutes after the epoch, so old (s), of data that should be four minutes old at most. */
const aged = (seconds: number): Given => ({
  [`edge_data_until_timestamp_seconds{${ACCOUNT}, product="p", metric="waf", configuration="shop"}`]: `${600 - seconds}+0x10`,
  [`edge_expected_age_seconds{${ACCOUNT}, product="p", metric="waf"}`]: '240x10',
});
/** Another configuration's, of the same metric. */
const another = (seconds: number): Given => ({
  [`edge_data_until_timestamp_seconds{${ACCOUNT}, product="p", metric="waf", configuration="blog"}`]: `${600 - seconds}+0x10`,
});
/** The same of a metric that is still read, and whose series were withdrawn. */
const withdrawn = (seconds: number): Given => ({
  ...aged(seconds),
  [`edge_data_until_timestamp_seconds{${ACCOUNT}, product="p", metric="waf", configuration="shop"}`]: `${600 - seconds}+0x4 stale`,
});
const alert = (name: string, severity = 'page', about = ACCOUNT): Given => ({
  [`ALERTS{${about}, alertname="${name}", alertstate="firing", severity="${severity}"}`]: '1x10',
});
const INSTANCE = 'instance="edge:9801", job="edge-exporter"';
const state = (durable: 0 | 1): Given => ({
  'edge_exporter_state_durable{instance="edge:9801", job="edge-exporter"}': `${durable}x10`,
});

/** What is told, of whom, and how soon somebody has to act: 2 now, 1 soon, 0 just wait. */
type Told = readonly (readonly [account: string, trouble: string, act: number])[];

const UNPROTECTED = 'sites are unprotected: a WAF or a firewall was switched off';

/** Alerts about accounts that page as they are shipped, besides those of attacks. */
const WORDS_OF_PAGES = {
  Edge5xxRatio: 'visitors get errors: too many responses are 5xx',
  EdgeTrafficDrop: 'visitors do not arrive: far fewer requests than usual',
  EdgeTrafficFlood: 'is flooded: far more requests than usual, and errors or threats with them',
  EdgeWafOff: UNPROTECTED,
  EdgeFirewallDisabled: UNPROTECTED,
  EdgeCertificateExpiring: 'a certificate has expired or is about to: visitors are warned',
  EdgeTokenExpiring: 'the token is about to expire: then there is no new data',
} as const;

const CASES: readonly (readonly [what: string, given: Given, told: Told])[] = [
  ['nothing while all is well', { ...UP, ...polls('ok'), ...state(1) }, []],
  ['nothing of tickets, of which there is a list', { ...UP, ...alert('Edge5xxRatio', 'ticket') }, []],
  [
    'an attack',
    { ...UP, ...alert('EdgeWafSpike'), ...alert('EdgeWafFamilyAttack') },
    [['a', 'is under attack: the WAF sees far more threats than usual', 2]],
  ],
  ['a refused token', { ...DOWN, ...polls('unauthorized') }, [['a', `${NO_DATA} refuses the token`, 2]]],
  [
    'a platform that is down',
    { ...DOWN, ...polls('server_error') },
    [['a', `${NO_DATA} is down (it answers with errors)`, 0]],
  ],
  [
    'a refused token alone, although single polls have failed otherwise just before',
    { ...DOWN, ...polls('unauthorized'), ...polls('server_error'), ...polls('timeout') },
    [['a', `${NO_DATA} refuses the token`, 2]],
  ],
  [
    'a platform that cannot be reached',
    { ...DOWN, ...polls('timeout') },
    [['a', `${NO_DATA} cannot be reached`, 2]],
  ],
  [
    'a platform that is down in a way of which nothing more is known',
    { ...DOWN, ...polls('undecodable') },
    [['a', `${NO_DATA} does not answer as it should`, 2]],
  ],
  ['no trouble of single polls that fail while the platform is up', { ...UP, ...polls('server_error') }, []],
  [
    'a quota that others use up',
    { ...UP, ...refused },
    [['a', 'operations are refused (429): others use up the token’s quota', 1]],
  ],
  ['late data', { ...UP, ...aged(601) }, [['a', 'data is late, although the platform answers', 0]]],
  [
    'late data that was withdrawn',
    { ...UP, ...withdrawn(900) },
    [['a', 'data is late, although the platform answers', 0]],
  ],
  ['no late data of a metric that was withdrawn just now', { ...UP, ...withdrawn(500) }, []],
  ['no late data of a configuration that is gone', { ...UP, ...withdrawn(900), ...another(240) }, []],
  ['no late data of what is a little older than expected', { ...UP, ...aged(599) }, []],
  [
    'stale data of a platform that is down as that alone',
    { ...DOWN, ...polls('server_error'), ...aged(1_500) },
    [['a', `${NO_DATA} is down (it answers with errors)`, 0]],
  ],
  [
    'counters that are withheld',
    { ...UP, ...state(0) },
    [['all of edge:9801', 'counters are withheld: the state directory cannot be used', 1]],
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
    { ...DOWN, ...polls('unauthorized'), ...alert('EdgeTokenExpiring') },
    [['a', `${NO_DATA} refuses the token`, 2]],
  ],
  [
    'a page of a ticket that somebody has made one',
    { ...UP, ...alert('Edge4xxRatio'), ...alert('EdgeDataStale') },
    [
      ['a', 'another page fires: Edge4xxRatio', 2],
      ['a', 'another page fires: EdgeDataStale', 2],
    ],
  ],
  [
    'an exporter that is down',
    { ...UP, ...alert('EdgeExporterDown', 'page', INSTANCE) },
    [['all of edge:9801', 'the exporter is down: nothing that it polls is seen', 2]],
  ],
  [
    'an exporter that no longer sends',
    { ...UP, ...alert('EdgePushStopped', 'page', INSTANCE) },
    [['all of edge:9801', 'nothing is sent to a receiver, although samples wait for it', 2]],
  ],
  [
    'another page of an exporter',
    { ...UP, ...alert('EdgePushLosing', 'page', INSTANCE) },
    [['all of edge:9801', 'another page fires: EdgePushLosing', 2]],
  ],
  [
    'that nothing is known, once, where Prometheus has no exporter',
    alert('EdgeExporterDown', 'page', 'job="edge-exporter"'),
    [['none', 'nothing is known: Prometheus scrapes no exporter of such an account', 2]],
  ],
  [
    'that nothing is known',
    polls('ok'),
    [['none', 'nothing is known: Prometheus scrapes no exporter of such an account', 2]],
  ],
];

it('tells every alert that pages as shipped in words of its own', () => {
  const shipped = ruleFiles().alerts.groups.flatMap(({ rules }) => rules);
  const paging = shipped.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
  expect(new Set(paging)).toEqual(
    new Set([...Object.keys(WORDS_OF_PAGES), 'EdgeWafSpike', 'EdgeExporterDown', 'EdgePushStopped']),
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
