import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import {
  ATTACKED_MINUTES,
  attackedSeries,
  BLOG,
  MINUTE,
  START,
  samples,
} from '../rules/rehearse/history-of.ts';
import { openMetrics } from '../rules/rehearse/open-metrics.ts';
import { temporaryFolder } from './config-file.ts';
import { runExporter } from './exporter-process.ts';
import { startPrometheus } from './prometheus.ts';
import { promtool } from './promtool.ts';

interface RehearsedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly from: string;
  readonly seconds: number;
  readonly value: number;
}

async function rehearsed(...args: readonly string[]) {
  const ending = await runExporter({ args: ['rehearse', '--format=json', ...args] });
  expect(ending, ending.stderr).toMatchObject({ code: 0 });
  return JSON.parse(ending.stdout) as {
    readonly alerts: readonly RehearsedAlert[];
    readonly not_judged: readonly { readonly alert: string }[];
  };
}

const ERRORS = { ...BLOG, class: '5xx', code: '503' };
const FINE = { ...BLOG, class: '2xx', code: '200' };

const HISTORY = [
  ...attackedSeries(),
  samples('edge_responses_per_minute', ERRORS, ATTACKED_MINUTES, (minute) =>
    minute >= 220 && minute < 232 ? undefined : minute >= 200 && minute < 260 ? 400 : 0,
  ),
  samples('edge_responses_per_minute', FINE, ATTACKED_MINUTES, () => 1_000),
  samples(
    'edge_firewall_active',
    { account: 'production', firewall_id: '7', firewall: 'front' },
    ATTACKED_MINUTES,
    (minute) => (minute >= 100 && minute < 160 ? 0 : 1),
  ),
];

const RANGE = [
  `--from=${new Date(START).toISOString()}`,
  `--to=${new Date(START + ATTACKED_MINUTES * MINUTE).toISOString()}`,
];

it('the history of a real Prometheus and the same as a file give the same alerts of traffic', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'history.om');
  const storage = join(folder, 'data');
  await writeFile(file, openMetrics(HISTORY));
  const recorded = join(folder, 'recorded.om');
  const fromFile = await rehearsed(`--history.file=${file}`, `--recorded=${recorded}`, ...RANGE);
  for (const from of [file, recorded]) {
    const long = '--max-block-duration=192h';
    const made = await promtool(['tsdb', 'create-blocks-from', 'openmetrics', long, from, storage]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
  }
  const prometheus = await startPrometheus({
    tool: 'prometheus3',
    storage,
    flags: ['--storage.tsdb.retention.time=20y'],
  });
  onTestFinished(() => prometheus.stop());
  const fromPrometheus = await rehearsed(`--prometheus.url=${prometheus.url}`, ...RANGE);
  const ofTraffic = fromPrometheus.alerts.filter(({ labels }) => labels['about'] === 'traffic');
  expect(ofTraffic).toEqual(fromFile.alerts.filter(({ labels }) => labels['about'] === 'traffic'));
  const names = ofTraffic.map(({ labels }) => labels['alertname']);
  expect(names).toEqual(expect.arrayContaining(['EdgeWafSpike', 'Edge5xxRatio']));

  // The evaluation continues from the recorded series of the rehearsal, because each threshold depends on
  // other series.
  const at = START + (ATTACKED_MINUTES - 5) * MINUTE;
  const answers = async (query: string) =>
    (await prometheus.query(query, at))
      .map(({ labels: { __name__: _, ...labels }, value }) => `${JSON.stringify(labels)} ${value}`)
      .sort();
  let known = 0;
  for (const { record, expr } of ruleFiles().recording.groups.flatMap(({ rules }) => rules)) {
    if (!record.endsWith(':threshold')) continue;
    const noted = await answers(record);
    expect(await answers(expr), record).toEqual(noted);
    known += noted.length;
  }
  expect(known).toBeGreaterThanOrEqual(4);

  // Prometheus itself evaluates the alerts that are not about traffic.
  const disabled = fromPrometheus.alerts.find(({ labels }) => labels['alertname'] === 'EdgeFirewallDisabled');
  expect(disabled).toMatchObject({
    from: new Date(START + 105 * MINUTE).toISOString(),
    seconds: 55 * 60,
    labels: { firewall: 'front', severity: 'page' },
  });
  const notJudged = fromPrometheus.not_judged.map(({ alert }) => alert);
  expect(notJudged).toContain('EdgeExporterDown');
  expect(notJudged).not.toContain('EdgeFirewallDisabled');
  expect(fromFile.not_judged.map(({ alert }) => alert)).toContain('EdgeFirewallDisabled');
});
