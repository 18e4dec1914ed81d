import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { filledIn } from '../../grafana/source/filled-in.ts';
import { ruleFiles } from '../../src/rules/shipped/rule-files.ts';
import { committed, queriesOf } from '../dashboards/committed.ts';
import { selectorsOf } from '../dashboards/promql.ts';
import { simulate } from '../simulation/simulation.ts';
import { type PROMTOOLS, promtoolsFor, testRules } from './promtool.ts';

const MINUTES = 60;

const VALUES = {
  account: '.+',
  product: '.+',
  configuration: '.+',
  job: '.+',
  instance: '.+',
  __rate_interval: '5m',
  __range: '45m',
};

const OF_EACH =
  /^(ALERTS|edge_exporter_(operations|polls|poll_duration|jobs|quota_wait|settle_seconds|series|state|push|outbox|config)|process_|nodejs_|scrape_|up$)/;

const { recording, alerts } = ruleFiles();

const EXPRESSIONS: ReadonlyMap<string, string> = new Map([
  ...committed()
    .flatMap(queriesOf)
    .filter(({ expr }) => !selectorsOf(expr).some(({ metric = '' }) => OF_EACH.test(metric)))
    .map(({ file, title, refId, expr }) => [`${file}, ${title} ${refId}`, filledIn(expr, VALUES)] as const),
  ...recording.groups.flatMap(({ rules }) => rules.map(({ record }) => [record, record] as const)),
  ['what fires', 'ALERTS{about!="exporter"}'],
]);

type Values = ReadonlyMap<string, readonly number[]>;

async function scrapes(): Promise<Values> {
  const products = {
    edge_applications: { metrics: ['cdn_requests', 'status_code', 'waf', 'data_transferred'] },
  };
  const collectors = { metrics: { products }, domains: {}, waf_rulesets: {} };
  const simulation = await simulate({ sandbox: { configurations: 2 }, account: { collectors } });
  onTestFinishedLater.push(() => simulation.close());
  await simulation.minutes(30);
  const values = new Map<string, number[]>();
  for (let minute = 0; minute <= MINUTES; minute++) {
    for (const [key, value] of (await simulation.scrape()).samples) {
      const [name, labels] = JSON.parse(key) as [string, [string, string][]];
      const series = `${name}{${labels.map(([label, text]) => `${label}=${JSON.stringify(text)}`).join()}}`;
      const known = values.get(series) ?? Array.from({ length: minute }, () => Number.NaN);
      values.set(series, [...known, value]);
    }
    for (const [series, known] of values)
      if (known.length <= minute) values.set(series, [...known, Number.NaN]);
    await simulation.minutes(1);
  }
  return values;
}

const onTestFinishedLater: (() => Promise<void>)[] = [];

function inputSeries(values: Values, instance: string, beganLater = false) {
  return [...values].map(([series, all]) => {
    const first = all.find((value) => !Number.isNaN(value)) ?? 0;
    const less = beganLater && /^[^{]*_(total|count|sum|bucket)\{/.test(series) ? first : 0;
    return {
      series: series.replace(
        /\{(.)/,
        (_, next) => `{instance="${instance}",job="edge-exporter"${next === '}' ? '' : ','}${next}`,
      ),
      values: all.map((value) => (Number.isNaN(value) ? '_' : String(value - less))).join(' '),
    };
  });
}

async function answers(
  tool: (typeof PROMTOOLS)[number],
  series: readonly { series: string; values: string }[],
): Promise<ReadonlyMap<string, Rows>> {
  const folder = await mkdtemp(join(tmpdir(), 'two-exporters-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: [...recording.groups, ...alerts.groups] }));
  const test = {
    interval: '1m',
    input_series: series,
    promql_expr_test: [...EXPRESSIONS.values()].map((expr) => ({
      expr,
      eval_time: `${MINUTES}m`,
      exp_samples: [],
    })),
  };
  const file = join(folder, 'test.yaml');
  const groups = [...recording.groups, ...alerts.groups].map(({ name }) => name);
  // Without a fixed order, groups run in a different order each time. An average over an hour may then
  // include one more minute.
  const about = { rule_files: ['rules.yaml'], evaluation_interval: '1m', group_eval_order: groups };
  await writeFile(file, stringify({ ...about, tests: [test] }));
  const said = await testRules(tool, file);
  const found = new Map<string, Rows>();
  for (const [, quoted = '""', got = ''] of said.matchAll(
    /expr: (".*"), time: .*\n.*exp: .*\n\s*got: (.*)/g,
  )) {
    const rows = got.split(/, (?=\{)/).map((row): [string, number] => {
      const [, labels = '', value = ''] = /^(\{.*\}) (\S+)$/.exec(row) ?? [];
      return [labels, Number(value)];
    });
    found.set(JSON.parse(quoted) as string, new Map(rows));
  }
  return found;
}

type Rows = ReadonlyMap<string, number>;

const ROUNDING = 1e-9;

function areAlike(one: Rows = new Map(), two: Rows = new Map()): boolean {
  const isClose = (a: number, b = Number.NaN) =>
    Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b), 1);
  return one.size === two.size && [...one].every(([labels, value]) => isClose(value, two.get(labels)));
}

describe('two exporters on one account', () => {
  let values: Values = new Map();

  beforeAll(async () => {
    values = await scrapes();
    for (const close of onTestFinishedLater) await close();
  });

  it.each(promtoolsFor(1))('change no drawn, recorded or fired value of an hour (%s)', async (tool) => {
    const one = await answers(tool, inputSeries(values, 'a:9801'));
    const two = await answers(tool, [
      ...inputSeries(values, 'a:9801'),
      ...inputSeries(values, 'b:9801', true),
    ]);
    const differing = [...EXPRESSIONS].filter(([, expr]) => !areAlike(one.get(expr), two.get(expr)));
    expect(differing.map(([name, expr]) => [name, one.get(expr), two.get(expr)])).toEqual([]);
    expect(one.size).toBeGreaterThan(80);
  });
});
