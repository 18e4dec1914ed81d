import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALERTS } from '../../src/rules/alert-catalogue.ts';
import { ruleFiles } from '../../src/rules/rule-files.ts';
import { kubernetesRuleText, ruleTexts, wholeRuleText } from '../../src/rules/rule-text.ts';
import { runToEnd } from '../end-to-end/child-process.ts';
import { promtool } from '../end-to-end/promtool.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'config', 'prometheus');
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

  it('record no series twice', () => {
    const names = ruleFiles().recording.groups.flatMap(({ rules }) => rules.map(({ record }) => record));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('every alert', () => {
  const REPOSITORY = (createRequire(import.meta.url)('../../package.json') as { repository: string })
    .repository;
  const rules = ruleFiles().alerts.groups.flatMap((group) => group.rules);

  it.each(rules)('$alert ($labels.severity) says what to do, with a number and with a link', (rule) => {
    const { summary, description, dashboard_url, runbook_url } = rule.annotations;
    expect(ALERTS).toHaveProperty(rule.alert);
    expect(rule.labels.severity).toMatch(/^(page|ticket|info)$/);
    expect(rule.labels.about).toMatch(/^(traffic|settings|exporter)$/);
    expect(summary.length).toBeGreaterThan(10);
    expect(description.length).toBeGreaterThan(summary.length / 2);
    expect(dashboard_url).toBe(undefined);
    expect(runbook_url).toBe(
      `${REPOSITORY}/blob/main/config/prometheus/runbook.md#${rule.alert.toLowerCase()}`,
    );
  });
});
