import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { facesOf } from '../../../src/exporter/catalogue/catalogue.ts';
import { TRAFFIC_METRICS } from '../../../src/exporter/catalogue/known-metrics.ts';
import { ALERTS, type AlertName, FIRST_STEPS } from '../../../src/rules/shipped/alert-catalogue.ts';
import { type AlertSettings, SHIPPED } from '../../../src/rules/shipped/alert-settings.ts';
import { JUDGED_FAMILIES } from '../../../src/rules/shipped/measures.ts';
import {
  kubernetesRuleText,
  ruleFiles,
  ruleTexts,
  wholeRuleText,
} from '../../../src/rules/shipped/rule-files.ts';
import { runToEnd } from '../../end-to-end/child-process.ts';
import { promtool } from '../../end-to-end/promtool.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'config', 'prometheus');
const TEXTS = ruleTexts(ruleFiles());

describe('the rule files', () => {
  it.each(Object.entries(TEXTS))('%s is what its source generates', async (name, text) => {
    expect(await readFile(join(FOLDER, name), 'utf8')).toBe(text);
  });

  it('are the same as those of the Prometheus operator among the manifests', async () => {
    const manifest = join(FOLDER, '..', 'kubernetes', 'prometheus-rule.yaml');
    expect(await readFile(manifest, 'utf8')).toBe(kubernetesRuleText(ruleFiles()));
  });

  it('pass the lint of promtool', async () => {
    const files = Object.keys(TEXTS).map((name) => join(FOLDER, name));
    const check = await promtool(['check', 'rules', '--lint-fatal', ...files]);
    expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
  });

  it('are what the command writes', async () => {
    const { code, stdout } = await runToEnd({
      path: process.execPath,
      args: [join(FOLDER, '..', '..', 'dist', 'main.js'), 'rules', '--format=prometheus'],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: wholeRuleText(ruleFiles()) });
  });

  it('use nothing that Prometheus 2.42 lacks, and no subqueries', () => {
    const text = Object.values(TEXTS).join('\n');
    expect(text).not.toMatch(
      /query_offset|\[\w+:\w*\]|double_exponential_smoothing|holt_winters|limitk|info\(/,
    );
  });

  it('sum over every label that a judged family has', () => {
    const labels = new Map<string, Set<string>>();
    for (const [metric, { dimensions }] of TRAFFIC_METRICS) {
      for (const dimension of dimensions.keys()) {
        const faces = facesOf(metric, dimension, { scope: 'configuration' });
        const shown = [
          { family: faces.gauge.family, labels: faces.labels },
          ...(faces.early === undefined ? [] : [{ family: faces.early.atLeast, labels: faces.early.labels }]),
        ];
        for (const { family, labels: own } of shown) {
          labels.set(family.name, new Set([...(labels.get(family.name) ?? []), ...Object.keys(own)]));
        }
      }
    }
    for (const [family, expected] of Object.entries(JUDGED_FAMILIES)) {
      expect([...(labels.get(family) ?? ['no such family'])].sort(), family).toEqual(expected);
    }
  });

  it('record no series twice', () => {
    const names = ruleFiles().recording.groups.flatMap(({ rules }) => rules.map(({ record }) => record));
    expect(new Set(names).size).toBe(names.length);
  });

  it('record nothing that no other rule is made of, no alert says and no dashboard shows', async () => {
    const { recording, alerts } = ruleFiles();
    const dashboards = join(FOLDER, '..', '..', 'grafana', 'dashboards');
    const files = (await readdir(dashboards, { recursive: true })).filter((name) => name.endsWith('.json'));
    const shown = await Promise.all(files.map((name) => readFile(join(dashboards, name), 'utf8')));
    const rules = recording.groups.flatMap((group) => [...group.rules]);
    const unused = rules.filter(({ record }) => {
      const others = rules.flatMap((rule) => (rule.record === record ? [] : rule.expr));
      const texts = [...others, JSON.stringify(alerts), ...shown].join('\n');
      return !new RegExp(`${record}(?![\\w:])`).test(texts);
    });
    expect(unused.map(({ record }) => record)).toEqual([]);
  });
});

describe('whatever severity is chosen', () => {
  const SEVERITIES = ['page', 'ticket', 'info'] as const;
  const accounts = ['other'];
  const chosen = SEVERITIES.flatMap((severity) =>
    (Object.keys(ALERTS) as AlertName[]).flatMap((name) => {
      const alerts = { [name]: { severity, values: {} } };
      const everywhere: AlertSettings = { ...SHIPPED, alerts };
      const somewhere: AlertSettings = { ...SHIPPED, overrides: [{ where: { accounts }, alerts }] };
      const apart = ALERTS[name].level === 'exporter' ? [] : [{ name, severity, settings: somewhere }];
      return [{ name, severity, settings: everywhere }, ...apart];
    }),
  );

  it.each(chosen)('$name as a $severity is no rule twice', ({ name, severity, settings }) => {
    const rules = ruleFiles(settings).alerts.groups.flatMap((group) => group.rules);
    const identities = rules.map(({ alert, labels }) => JSON.stringify([alert, labels]));
    expect(identities.filter((one, index) => identities.indexOf(one) !== index)).toEqual([]);
    expect(rules.filter(({ alert }) => alert === name).map(({ labels }) => labels.severity)).toContain(
      severity,
    );
  });

  it.each(SEVERITIES)('all alerts as a %s pass the lint of promtool', async (severity) => {
    const names = Object.keys(ALERTS) as AlertName[];
    const alerts = Object.fromEntries(names.map((name) => [name, { severity, values: {} }]));
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'all.rules.yml');
    const overridden = {
      where: { accounts },
      alerts: { EdgeTokenExpiring: { severity: 'page', values: {} } },
    } as const;
    await writeFile(file, wholeRuleText(ruleFiles({ ...SHIPPED, alerts, overrides: [overridden] })));
    const check = await promtool(['check', 'rules', '--lint-fatal', file]);
    expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
  });
});

it('every page and ticket ends with what to do first, as the runbook says it', async () => {
  const runbook = await readFile(join(FOLDER, 'runbook.md'), 'utf8');
  const rules = ruleFiles().alerts.groups.flatMap((group) => group.rules);
  for (const { alert, annotations, labels } of rules) {
    const [, first] =
      labels.severity === 'info'
        ? ['', FIRST_STEPS[alert as AlertName]]
        : annotations.description.split(' First: ');
    const section = runbook.split(`## ${alert}\n`)[1]?.split('\n## ')[0] ?? '';
    expect(section, alert).toContain(`**Check:** ${first}\n`);
  }
});

it('there are at most 45 alerting rules, and a summary of usual names has at most 90 characters', () => {
  const rules = ruleFiles().alerts.groups.flatMap((group) => group.rules);
  expect(rules.length).toBeLessThanOrEqual(45);
  for (const { alert, annotations } of rules) {
    // Takes the longest branch of each choice, with a name or a number in place of each value.
    const longest = annotations.summary
      .replaceAll(/\{\{ if eq \$labels\.kind "\w+" \}\}\{\{ [^}]+ \}\}\{\{ end \}\}/g, '')
      .replaceAll(/\{\{ (?:if|with|else if) [^}]+ \}\}/g, '\u0001')
      .replaceAll(/\{\{ else \}\}/g, '\u0001')
      .replaceAll(/\{\{ end \}\}/g, '\u0002')
      .replaceAll(/\{\{ [^}]+ \}\}/g, 'some-name1');
    const length = longest
      .split('\u0002')
      .map((part) => {
        const [before = '', ...branches] = part.split('\u0001');
        return before.length + Math.max(0, ...branches.map((branch) => branch.length));
      })
      .reduce((sum, one) => sum + one, 0);
    expect(length, `${alert}: ${longest}`).toBeLessThanOrEqual(90);
  }
});

describe('every alert', () => {
  const REPOSITORY = (createRequire(import.meta.url)('../../../package.json') as { repository: string })
    .repository;
  const rules = ruleFiles().alerts.groups.flatMap((group) => group.rules);

  it.each(rules)('$alert ($labels.severity) says what to do, with a number and with a link', (rule) => {
    const { summary, description, dashboard_url, runbook_url } = rule.annotations;
    expect(ALERTS).toHaveProperty(rule.alert);
    expect(rule.labels.severity).toMatch(/^(page|ticket|info)$/);
    expect(rule.labels.about).toMatch(/^(traffic|settings|exporter)$/);
    expect(summary.length).toBeGreaterThan(10);
    expect(description.length).toBeGreaterThan(30);
    expect(dashboard_url).toBe(undefined);
    expect(runbook_url).toBe(
      `${REPOSITORY}/blob/main/config/prometheus/runbook.md#${rule.alert.toLowerCase()}`,
    );
  });
});

it('every panel that the runbook names is on the dashboard that it names', async () => {
  const runbook = await readFile(join(FOLDER, 'runbook.md'), 'utf8');
  const titles = new Map(
    await Promise.all(
      ['Overview', 'Configuration', 'Security', 'Exporter'].map(async (name) => {
        const file = join(FOLDER, '..', '..', 'grafana', 'dashboards', `${name.toLowerCase()}.json`);
        return [name, await readFile(file, 'utf8')] as const;
      }),
    ),
  );
  const named = [...runbook.matchAll(/(?:`([^`\n]+)` and )?`([^`\n]+)`[ \n]+on the ([A-Z]\w+)/g)];
  expect(named.length).toBeGreaterThan(25);
  for (const [, first, second, dashboard = ''] of named) {
    for (const panel of [first, second]) {
      if (panel !== undefined)
        expect(titles.get(dashboard), panel).toContain(`"title": ${JSON.stringify(panel)}`);
    }
  }
});
