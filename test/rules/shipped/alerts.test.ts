import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { ruleFiles, ruleText } from '../../../src/rules/shipped/rule-files.ts';
import { TIMES } from '../../../src/rules/shipped/times.ts';
import { promtoolsFor, testRules } from '../../end-to-end/promtool.ts';
import { atNight } from '../../nightly.ts';
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

async function testFile(alert: string, cases: readonly AlertCase[], files = FILES): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'alerts.test.yml');
  const needed = neededRules(files, alert);
  await writeFile(join(folder, 'needed.rules.yml'), ruleText(needed));
  const content = {
    rule_files: ['needed.rules.yml'],
    evaluation_interval: '1m',
    // promtool would take them in any order.
    group_eval_order: needed.groups.map(({ name }) => name),
    tests: promtoolTests(cases),
  };
  await writeFile(file, stringify(content, { lineWidth: 0 }));
  return file;
}

describe('every alert fires, resolves, keeps quiet, and bears missing data:', () => {
  // A drop needs a last week, and what becomes usual two days: evaluation.test.ts has weeks that are short enough.
  it.each(ALERTS.filter((alert) => alert !== 'EdgeTrafficDrop' && alert !== 'EdgeAttackUsual'))(
    '%s',
    async (alert) => {
      const cases = CASES.filter((candidate) => candidate.alert === alert);
      expect(cases.length).toBeGreaterThan(0);
      const file = await testFile(alert, cases);
      for (const tool of promtoolsFor(ALERTS.indexOf(alert)))
        expect(await testRules(tool, file), tool).toBe('');
    },
  );
});

it.each(atNight([120, 1_440], [120]))(
  'a few failures that last are a ticket that ends a day after them, where a day has %d minutes',
  async (day) => {
    const files = ruleFiles(SHIPPED, { ...TIMES, day: day * 60_000 });
    const file = await testFile(CREEPING.alert, [{ ...CREEPING, resolves: day + 60 }], files);
    expect(await testRules('promtool', file)).toBe('');
  },
);

describe('the runbook', () => {
  it('has a section for every alert, and for none that there is not', async () => {
    const text = await readFile(join(RULES, 'runbook.md'), 'utf8');
    const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections.toSorted()).toEqual(ALERTS.toSorted());
  });

  it.each(ALERTS)('says of %s what to do first, what then, and how to silence it', async (alert) => {
    const text = await readFile(join(RULES, 'runbook.md'), 'utf8');
    const section = text.split(`## ${alert}\n`)[1]?.split('\n## ')[0] ?? '';
    expect(section).toMatch(/^\*\*Do first:\*\* \S/);
    const steps = [...section.matchAll(/^- \*\*([^*]+)\*\* \S/gm)].map(([, name]) => name);
    expect(steps).toSatisfy(
      (found: readonly string[]) =>
        found.at(-1) === 'Silence' && found.slice(0, -1).some((step) => step === 'Look at' || step === 'Do'),
    );
  });
});
