import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ruleFiles } from '../../../src/rules/shipped/rule-files.ts';
import { runToEnd } from '../../end-to-end/child-process.ts';
import { toolPath } from '../../end-to-end/tools.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

async function evaluated(expression: string): Promise<unknown> {
  const text = `local mixin = import '${join(ROOT, 'config', 'mixin', 'mixin.libsonnet')}'; ${expression}`;
  const { code, stdout, stderr } = await runToEnd({ path: toolPath('jsonnet'), args: ['-e', text] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

it('the mixin has the rules and alerts that are shipped', async () => {
  const { recording, alerts } = ruleFiles();
  expect(await evaluated('{ rules: mixin.prometheusRules, alerts: mixin.prometheusAlerts }')).toEqual(
    plain({ rules: recording, alerts }),
  );
});

it('the mixin has every dashboard', async () => {
  const folder = join(ROOT, 'grafana', 'dashboards');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const dashboards = await Promise.all(
    names.map(async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8'))] as const),
  );
  expect(await evaluated('mixin.grafanaDashboards')).toEqual(Object.fromEntries(dashboards));
});

it('the mixin leaves alerts out, lowers severities and links to another runbook', async () => {
  const chosen = `mixin { _config+:: { without: ['EdgeSettingChanged'], severities: { Edge5xxRatio: 'ticket' }, runbookUrl: 'https://wiki/run' } }`;
  const { groups } = (await evaluated(`(${chosen}).prometheusAlerts`)) as ReturnType<
    typeof ruleFiles
  >['alerts'];
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.filter(({ alert }) => alert === 'EdgeSettingChanged')).toEqual([]);
  const severities = rules
    .filter(({ alert }) => alert === 'Edge5xxRatio')
    .map(({ labels }) => labels.severity);
  expect(new Set(severities)).toEqual(new Set(['ticket']));
  const spike = rules.find(({ alert }) => alert === 'EdgeWafSpike');
  expect(spike?.labels.severity).toBe('page');
  expect(spike?.annotations.runbook_url).toBe('https://wiki/run#edgewafspike');
});
