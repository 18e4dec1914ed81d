import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filledIn } from '../../grafana/source/filled-in.ts';
import type { AlertRule, RecordingRule, RuleGroup } from '../../src/rules/shipped/rule.ts';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import { type Asked, committed, queriesOf } from '../dashboards/committed.ts';
import { selectorsOf } from '../dashboards/promql.ts';
import { eventually } from '../eventually.ts';
import { type ExporterProcess, startExporter } from './exporter-process.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const VALUES = {
  account: '.+',
  product: '.+',
  configuration: '.+',
  job: '.+',
  instance: '.+',
  __rate_interval: '15s',
  __range: '1m',
};

const MAY_BE_EMPTY: readonly (readonly [part: string, reason: string])[] = [
  ['edge_trouble_info', 'nothing is wrong'],
  ['ALERTS{', 'nothing fires on quiet traffic'],
  ['ALERTS_FOR_STATE{', 'nothing fires on quiet traffic'],
  [':threshold{', 'recording rules learn thresholds from hours of history'],
  ['edge_domain_active{account=~"$account"}) == 0', 'every domain of the sandbox is active'],
  ['edge_exporter_late_restatement_total', 'the sandbox changes no bucket that is settled'],
  ['_changed_timestamp_seconds', 'no setting changes between two reads, which are minutes apart'],
  ['_delay_seconds{account=~"$account"} offset 1m', 'delays are learned over hours'],
  ['edge_exporter_reconciliation_ratio', 'counters are compared with the platform after an hour'],
  ['product:edge_stale_configurations:count', 'no data is stale'],
  ['configuration:edge_data_age_seconds:', 'no data is stale'],
  [':since', 'nothing is above its threshold'],
  [':above', 'nothing is above its threshold'],
  [':active', 'nothing is above its threshold'],
  [':rising', 'no threats have been growing for hours'],
  [':limit', 'nothing is above its threshold'],
  [':excess', 'nothing is abnormal'],
  [':fallen', 'nothing has fallen'],
  [':lowest_threshold', 'recorded only where what is usual is not known yet'],
  ...[
    'edge_waf_blocked_per_minute',
    'edge_waf_threats_by_family_per_minute',
    'edge_error_responses_per_minute',
    'edge_client_error_ratio',
  ].flatMap((quiet) =>
    ['avg1h', 'seasonal', 'usual', 'variation1h', 'drift1h', 'threshold'].map(
      (of) => [`${quiet}:${of}`, 'of a quiet series what is usual is not recorded'] as const,
    ),
  ),
  ['edge_waf_threats_at_least_per_minute', 'bounds are shown once a thousand changes of buckets were seen'],
  ['_expected_per_minute', 'estimates are shown once it was learned how complete young buckets are'],
  [':at_least', 'bounds are shown once a thousand changes of buckets were seen'],
  [':certain', 'bounds are shown once a thousand changes of buckets were seen'],
  [':accepted', 'no level has lasted'],
  [':covered', 'no alert has covered any hour'],
  [':relearning', 'no rule set was changed'],
  ['edge_client_error_ratio:now', 'recorded only from a quarter of its floor on'],
  ['collector!~"metrics|analytics", outcome!~"ok|empty"', 'settings have been read before polls fail'],
  ['edge_certificate_expiry_timestamp_seconds', 'as it is documented, the platform does not tell it'],
  ...['edge_request_duration_', 'edge_upstream_', 'edge_requests_by_country_', 'edge_requests_by_host_'].map(
    (named) => [named, 'read only where the configuration names it'] as const,
  ),
  ['edge_exporter_outbox_', 'nothing is pushed'],
  ['edge_exporter_push_', 'nothing is pushed'],
  ['edge_product_counted_until_timestamp_seconds', 'nothing is read of whole products by default'],
  ['edge_token_expiry_timestamp_seconds', 'of a token that is given it is not known'],
  ['edge_token_renewal_timestamp_seconds', 'a token that is given is not renewed'],
];

function mayBeEmpty({ expr }: Asked): boolean {
  return MAY_BE_EMPTY.some(([part]) => expr.includes(part));
}

const QUERIES = committed().flatMap(queriesOf);

function distinct(queries: readonly Asked[]): readonly Asked[] {
  return [...new Map(queries.map((query) => [`${query.expr} ${query.instant}`, query])).values()];
}

const INTERVAL_S = 5;

const QUIET_EVALUATIONS = 10;

function hastyRules(): { readonly groups: readonly RuleGroup<AlertRule | RecordingRule>[] } {
  const { recording, alerts } = ruleFiles();
  return {
    groups: [...recording.groups, ...alerts.groups].map((group) => ({
      ...group,
      interval: `${INTERVAL_S}s`,
      rules: group.rules.map((rule) => ({ ...rule, expr: withoutHistory(rule.expr) })),
    })),
  };
}

function withoutHistory(expression: string): string {
  return expression.replaceAll(/ offset \w+/g, '');
}

const SELECTED_BY_RULES = distinct(
  hastyRules().groups.flatMap(({ name: file, rules }) =>
    rules.flatMap((rule) => {
      const title = 'alert' in rule ? rule.alert : rule.record;
      return selectorsOf(rule.expr).map(({ text }) => ({
        file,
        title,
        refId: '',
        expr: text,
        instant: true,
      }));
    }),
  ),
);

describe('in Prometheus 2.42 and in Prometheus 3 every query of every dashboard and rule', () => {
  const running: { state?: string; exporter?: ExporterProcess; readonly prometheus: Prometheus[] } = {
    prometheus: [],
  };
  let began = Number.NaN;

  /** Returns the length of the shortest answer. Queries of rules cover the whole time since the start. */
  const ask = async (asked: Asked): Promise<number> => {
    const expression = withoutHistory(filledIn(asked.expr, VALUES));
    const end = Date.now();
    const range = SELECTED_BY_RULES.includes(asked)
      ? { start: began, end, step: INTERVAL_S * 1_000 }
      : { start: end - 15_000, end, step: 1_000 };
    const isNow = asked.instant && !SELECTED_BY_RULES.includes(asked);
    const lengths = running.prometheus.map(async ({ query, queryRange }) => {
      const answer = isNow ? await query(expression) : await queryRange(expression, range);
      return answer.length;
    });
    return Math.min(...(await Promise.all(lengths)));
  };

  beforeAll(async () => {
    began = Date.now();
    running.state = await mkdtemp(join(tmpdir(), 'dashboard-queries-'));
    const exporter = await startExporter({ args: ['serve', '--sandbox', `--state.dir=${running.state}`] });
    running.exporter = exporter;
    for (const tool of ['prometheus', 'prometheus3'] as const) {
      const jobs = { 'edge-exporter': exporter.target };
      running.prometheus.push(
        await startPrometheus({ jobs, rules: hastyRules(), tool, scrapeInterval: '3s' }),
      );
    }
    const always = 'configuration:edge_server_error_ratio:always';
    const isKnown = `min(count_over_time(${always}[1h])) >= ${QUIET_EVALUATIONS}`;
    for (const { query } of running.prometheus)
      await eventually('the usual share of errors is known', async () => (await query(isKnown)).length > 0, {
        every: 2_000,
      });
    await disturb(exporter);
  });

  afterAll(async () => {
    for (const prometheus of running.prometheus) await prometheus.stop();
    await running.exporter?.stop();
    if (running.state !== undefined) await rm(running.state, { recursive: true });
  });

  it('has an answer from an exporter that polls', async () => {
    const queries = [...distinct(QUERIES), ...SELECTED_BY_RULES];
    // Queries whose answer may be empty must still be valid for Prometheus.
    for (const query of queries.filter(mayBeEmpty)) await ask(query);
    const open = new Set(queries.filter((query) => !mayBeEmpty(query)));
    const tryAll = async () => {
      for (const query of open) if ((await ask(query)) > 0) open.delete(query);
      return open.size === 0;
    };
    await eventually('every query has an answer', tryAll, {
      every: 3_000,
      evidence: () =>
        [...open].map(({ file, title, refId, expr }) => `${file}, ${title} ${refId}: ${expr}`).join('\n'),
    });
    for (const prometheus of running.prometheus) {
      const rules = await prometheus.rules();
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      expect(rules.length).toBeGreaterThan(100);
    }
  });

  it('meets but a part of all series', async () => {
    const [prometheus] = running.prometheus;
    // The query uses the time of a scrape, because a later moment could have no samples if the next scrape is
    // late.
    await prometheus?.scraped('edge-exporter');
    const at = 1_000 * ((await prometheus?.value('timestamp(up{job="edge-exporter"})')) ?? Number.NaN);
    const count = async (selector: string) =>
      (await prometheus?.query(`count(${selector})`, at))?.[0]?.value ?? Number.NaN;
    const all = await count('{job="edge-exporter"}');
    for (const { file, title, expr } of QUERIES) {
      const selected = new Set(selectorsOf(expr).map(({ text }) => text));
      const counts = await Promise.all([...selected].map(async (text) => (await count(text)) || 0));
      const met = counts.reduce((sum, some) => sum + some, 0);
      expect(met / all, `${file}, ${title}`).toBeLessThan(0.15);
    }
  });
});

async function disturb(exporter: ExporterProcess): Promise<void> {
  const paths = ['/metrics/'];
  await tellSandbox(exporter, 'PATCH', 'faults', {
    server_error: { probability: 0.1, paths },
    wrong_types: { probability: 0.3, paths, kinds: ['string_value'], share: 0.1 },
  });
  const site = /edge_configuration_info\{.*product="edge_applications",configuration_id="(\d+)"/;
  const id = await eventually('a site is shown', async () => site.exec((await exporter.scrape()).body)?.[1]);
  const [from, to] = [Date.now() - 1_800_000, Date.now() + 36_000_000];
  const spike = { kind: '5xx_spike', configuration: Number(id), from, to, per_minute: 5_000 };
  await tellSandbox(exporter, 'POST', 'events', spike);
}

async function tellSandbox(
  exporter: ExporterProcess,
  method: string,
  path: string,
  body: object,
): Promise<void> {
  const platform = /platform=(http:\S+)/.exec(exporter.process.output())?.[1];
  if (platform === undefined) throw new Error('the exporter does not say where its sandbox is');
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${platform}/_sandbox/${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the sandbox refused: ${await response.text()}`);
}
