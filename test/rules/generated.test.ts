import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ruleFiles } from '../../config/prometheus/source/rule-files.ts';
import { ruleTexts } from '../../config/prometheus/source/rule-text.ts';
import { promtool } from '../end-to-end/promtool.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'config', 'prometheus');
const TEXTS = ruleTexts(ruleFiles());

describe('the rule files', () => {
  it.each(Object.entries(TEXTS))('%s is what its source generates', async (name, text) => {
    expect(await readFile(join(FOLDER, name), 'utf8')).toBe(text);
  });

  it('pass the lint of promtool', async () => {
    const files = Object.keys(TEXTS).map((name) => join(FOLDER, name));
    const check = await promtool(['check', 'rules', '--lint-fatal', ...files]);
    expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
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
  const rules = ruleFiles().alerts.groups.flatMap((group) => group.rules);

  it.each(rules)('$alert ($labels.severity) says what to do, with a number and with links', (rule) => {
    const { summary, description, dashboard_url, runbook_url } = rule.annotations;
    expect(rule.labels.severity).toMatch(/^(page|ticket|info)$/);
    expect(rule.labels.about).toMatch(/^(traffic|settings|exporter)$/);
    expect(summary.length).toBeGreaterThan(10);
    expect(description.length).toBeGreaterThan(summary.length / 2);
    expect(dashboard_url).toMatch(/\/d\/edge-(overview|configuration|security|exporter)/);
    expect(runbook_url).toMatch(new RegExp(`runbook\\.md#${rule.alert.toLowerCase()}$`));
  });
});
