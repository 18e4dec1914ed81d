import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ruleFiles, ruleText } from '../../../src/rules/shipped/rule-files.ts';
import { TIMES } from '../../../src/rules/shipped/times.ts';
import { type PROMTOOLS, promtoolsFor, testRules } from '../../end-to-end/promtool.ts';
import { inLongSuite } from '../../long-suite.ts';
import { neededRules } from '../../simulation/judgement/needed-rules.ts';
import { type AlertCase, promtoolTests } from './alert-case.ts';
import { COUNTER_CASES } from './counter-cases.ts';
import { DISCOVERY_CASES } from './discovery-cases.ts';
import { EXPORTER_CASES } from './exporter-cases.ts';
import { POLL_CASES } from './poll-cases.ts';
import { PUSH_CASES } from './push-cases.ts';
import { SETTINGS_CASES } from './settings-cases.ts';
import { CREEPING, TRAFFIC_CASES } from './traffic-cases.ts';

const RULES = join(import.meta.dirname, '..', '..', '..', 'config', 'prometheus');
const CASES = [
  ...TRAFFIC_CASES,
  ...SETTINGS_CASES,
  ...EXPORTER_CASES,
  ...POLL_CASES,
  ...DISCOVERY_CASES,
  ...PUSH_CASES,
  ...COUNTER_CASES,
];
const FILES = ruleFiles();
const ALERTS = [...new Set(FILES.alerts.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)))];
const NEED_DAYS = ['EdgeTrafficDrop', 'EdgeAttackUsual', 'EdgeErrorsRecur'];
const TESTED = ALERTS.filter((alert) => !NEED_DAYS.includes(alert));

const MANY_RULES = 40;
const TOGETHER = TESTED.filter(
  (alert) => neededRules(FILES, alert).groups.flatMap(({ rules }) => rules).length > MANY_RULES,
);

async function testFile(
  alerts: readonly string[],
  cases: readonly AlertCase[],
  files = FILES,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  const file = join(folder, 'alerts.test.yml');
  const needed = neededRules(files, ...alerts);
  await writeFile(join(folder, 'needed.rules.yml'), ruleText(needed));
  const content = {
    rule_files: ['needed.rules.yml'],
    evaluation_interval: '1m',
    // Without this order, promtool evaluates the groups in any order.
    group_eval_order: needed.groups.map(({ name }) => name),
    tests: promtoolTests(cases),
  };
  await writeFile(file, stringify(content, { lineWidth: 0 }));
  return file;
}

function casesOf(alert: string): readonly AlertCase[] {
  return CASES.filter((candidate) => candidate.alert === alert);
}

it.each(['EdgeTokenExpiring', 'EdgeCertificateExpiring'])(
  '%s says how long ago it was, once it is over',
  async (alert) => {
    const found = FILES.alerts.groups.flatMap(({ rules }) => rules).filter((rule) => rule.alert === alert);
    // Other tests check the description's query, the hold and the labels.
    const rules = found.map(({ expr, annotations }) => ({
      alert,
      expr,
      annotations: { summary: annotations?.['summary'] },
    }));
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'a', rules }] }));
    const token = 'edge_token_expiry_timestamp_seconds{account="a"}';
    const certificate =
      'edge_certificate_expiry_timestamp_seconds{account="a",certificate="c",certificate_id="1"}';
    const isToken = alert === 'EdgeTokenExpiring';
    const labels = isToken ? { account: 'a' } : { account: 'a', certificate: 'c', certificate_id: '1' };
    const what = isToken ? 'The token of a' : 'The certificate c (a)';
    const said = (life: string) => [{ exp_labels: labels, exp_annotations: { summary: `${what} ${life}` } }];
    const test = {
      interval: '1m',
      input_series: [{ series: isToken ? token : certificate, values: '600x30' }],
      alert_rule_test: [
        { eval_time: '2m', alertname: alert, exp_alerts: said('expires in 8m 0s') },
        { eval_time: '18m', alertname: alert, exp_alerts: said('expired 8m 0s ago') },
      ],
    };
    const file = join(folder, 'said.test.yml');
    await writeFile(file, stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests: [test] }));
    for (const tool of promtoolsFor(1)) expect(await testRules(tool, file), tool).toBe('');
  },
);

describe('every alert fires, resolves, keeps quiet, and bears missing data:', () => {
  const said = new Map<string, Promise<string>>();

  const saidTogether = (tool: (typeof PROMTOOLS)[number]): Promise<string> => {
    const known = said.get(tool) ?? testTogether(tool);
    said.set(tool, known);
    return known;
  };

  it.each(TESTED)('%s', async (alert) => {
    const cases = casesOf(alert);
    expect(cases.length).toBeGreaterThan(0);
    if (TOGETHER.includes(alert)) {
      for (const tool of promtoolsFor(1)) expect(saidOf(alert, await saidTogether(tool)), tool).toBe('');
      return;
    }
    const file = await testFile([alert], cases);
    onTestFinished(() => rm(dirname(file), { recursive: true }));
    for (const tool of promtoolsFor(ALERTS.indexOf(alert)))
      expect(await testRules(tool, file), tool).toBe('');
  });
});

async function testTogether(tool: (typeof PROMTOOLS)[number]): Promise<string> {
  const file = await testFile(TOGETHER, TOGETHER.flatMap(casesOf));
  try {
    return await testRules(tool, file);
  } finally {
    await rm(dirname(file), { recursive: true });
  }
}

function saidOf(alert: string, said: string): string {
  const [head = '', ...failures] = said.split(/\n(?= +(?:expr|rule): )/);
  if (failures.length === 0) return head;
  const isOf = (failure: string) => (name: string) => failure.includes(`alertname=\\"${name}\\"`);
  return failures.filter((failure) => isOf(failure)(alert) || !TOGETHER.some(isOf(failure))).join('\n');
}

it.each(inLongSuite([120, 1_440], [120]))(
  'a few failures that last are a ticket that ends a day after them, where a day has %d minutes',
  async (day) => {
    const files = ruleFiles(SHIPPED, { ...TIMES, day: day * 60_000 });
    const file = await testFile([CREEPING.alert], [{ ...CREEPING, resolves: day + 60 }], files);
    onTestFinished(() => rm(dirname(file), { recursive: true }));
    expect(await testRules('promtool', file)).toBe('');
  },
);

describe('the runbook', () => {
  it('has a section for every alert, and for none that there is not', async () => {
    const text = await readFile(join(RULES, 'runbook.md'), 'utf8');
    const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(ALERTS.toSorted());
  });

  it.each(ALERTS)(
    'says of %s what it means, its impact, what to check, and how to silence it',
    async (alert) => {
      const text = await readFile(join(RULES, 'runbook.md'), 'utf8');
      const section = text.split(`## ${alert}\n`)[1]?.split('\n## ')[0] ?? '';
      const steps = [...section.matchAll(/^\*\*(\w+):\*\* \S/gm)].map(([, name]) => name);
      expect(steps.filter((step) => step !== 'Act')).toEqual(['Meaning', 'Impact', 'Check', 'Silence']);
      expect(section.split('\n').length).toBeLessThan(30);
    },
  );
});
