import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { EXIT } from '../../src/exporter/command-line/command.ts';
import type { Group } from '../../src/rules/promql/evaluation.ts';
import { ALERTS } from '../../src/rules/shipped/alert-catalogue.ts';
import { alertsJsonSchema } from '../../src/rules/shipped/alerts-file.ts';
import { ruleFiles, ruleTexts, wholeRuleText } from '../../src/rules/shipped/rule-files.ts';
import { temporaryFolder } from '../end-to-end/config-file.ts';
import { evaluate, type FiredAlert } from '../rules/evaluate.ts';
import { callProgram } from './call-program.ts';

const CONFIG = join(import.meta.dirname, '../../config');
const EXAMPLE = join(CONFIG, 'alerts.yaml');

const call = (...args: readonly string[]) => callProgram(['rules', ...args]);

async function callWith(text: string, ...args: readonly string[]) {
  const file = join(await temporaryFolder(), 'alerts.yaml');
  writeFileSync(file, text);
  const { exitCode, out, err } = await call(`--alerts.file=${file}`, ...args);
  return { exitCode, out, err: err.replaceAll(file, '') };
}

type Schema = z.core.JSONSchema.BaseSchema;

interface RuleFile {
  readonly groups: readonly Group[];
}

async function groupsWith(text: string): Promise<readonly Group[]> {
  const { exitCode, out, err } = await callWith(text);
  expect({ exitCode, err }).toEqual({ exitCode: EXIT.ok, err: '' });
  return (parse(out) as RuleFile).groups;
}

function alertsOf(groups: readonly Group[], name: string) {
  return groups.flatMap(({ rules }) =>
    rules.flatMap((rule) => ('alert' in rule && rule.alert === name ? [rule] : [])),
  );
}

describe('what is written', () => {
  it('is all rules, to stdout', async () => {
    expect(await call()).toEqual({ exitCode: EXIT.ok, out: wholeRuleText(ruleFiles()), err: '' });
  });

  it('is two rule files in a directory, which is made', async () => {
    const output = join(await temporaryFolder(), 'new', 'rules');
    const { exitCode, out } = await call(`--output=${output}`);
    expect({ exitCode, files: readdirSync(output).sort() }).toEqual({
      exitCode: EXIT.ok,
      files: ['alerts.rules.yml', 'recording.rules.yml'],
    });
    for (const [name, text] of Object.entries(ruleTexts(ruleFiles()))) {
      expect(readFileSync(join(output, name), 'utf8')).toBe(text);
      expect(out).toContain(join(output, name));
    }
  });

  it('is a PrometheusRule for the operator', async () => {
    const output = await temporaryFolder();
    await call('--format=kubernetes', `--output=${output}`);
    const rule = parse(readFileSync(join(output, 'prometheus-rule.yaml'), 'utf8')) as Record<string, unknown>;
    const { recording, alerts } = ruleFiles();
    expect(rule).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      spec: { groups: JSON.parse(JSON.stringify([...recording.groups, ...alerts.groups])) },
    });
  });

  it('fails where it cannot be written, with one line', async () => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, '');
    // Node.js itself would try forever to create a folder in /proc.
    for (const output of [file, '/proc/nothing/rules']) {
      const { exitCode, err } = await call(`--output=${output}`);
      expect({ exitCode, err }).toEqual({
        exitCode: EXIT.failed,
        err: expect.stringMatching(/^error: .*the rules cannot be written: .*\n$/),
      });
    }
  });
});

describe('an alerts file', () => {
  it('is refused with every mistake at once, each with its line', async () => {
    const { exitCode, err } = await callWith(`
runbook_url: runbook.md
alerts:
  EdgeWafSpike: { floor: high, severity: paging }
  EdgeTrafficDrop: { share: 2, hold: 5m }
  EdgeNothing: {}
accepted:
  - { configurations: [shop], from: yesterday }
  - { daily: "2-3", times: 4 }
  - { from: "2026-01-31T12:00:00Z", daily: "02:00-03:00" }
overrides:
  - alerts: { EdgeWafSpike: { floor: 3 } }
  - configurations: ["{shop,{a}}", "a[b]"]
    alerts:
      EdgeWafOff: { enabled: false }
      EdgeExporterDown: { enabled: false }
`);
    expect(exitCode).toBe(EXIT.misused);
    expect(err.trim().split('\n')).toEqual([
      'error: :2:14: runbook_url: expected an address such as "https://grafana.example.net"',
      'error: :4:26: alerts.EdgeWafSpike.floor: expected a number, found text',
      'error: :4:42: alerts.EdgeWafSpike.severity: expected one of: page, ticket, info',
      'error: :5:29: alerts.EdgeTrafficDrop.share: expected at most 1',
      expect.stringMatching(/^error: :5:32: alerts.EdgeTrafficDrop.hold: unknown key; expected one of: /),
      expect.stringMatching(/^error: :6:3: alerts.EdgeNothing: unknown key/),
      'error: :8:37: accepted[0].from: expected a time such as "2026-01-31T12:00:00Z"',
      'error: :9:5: accepted[1].from: is required',
      'error: :9:7: accepted[1].daily: unknown key; expected one of: accounts, products, configurations, from',
      'error: :9:21: accepted[1].times: unknown key; expected one of: accounts, products, configurations, from',
      'error: :10:37: accepted[2].daily: unknown key; expected one of: accounts, products, configurations, from',
      'error: :12:5: overrides[0]: expected accounts, products or configurations',
      expect.stringMatching(/^error: :13:22: overrides\[1\].configurations\[0\]: expected braces/),
      expect.stringMatching(/^error: :13:36: overrides\[1\].configurations\[1\]: only \*, \?/),
      expect.stringMatching(/^error: :15:19: overrides\[1\].alerts.EdgeWafOff: knows accounts only/),
      expect.stringMatching(/^error: :16:25: overrides\[1\].alerts.EdgeExporterDown: is about the exporter/),
    ]);
  });

  it.each([
    ['an empty one', ''],
    ['one that is commented out', '# alerts: {}\n'],
  ])('says nothing when it is %s', async (_, text) => {
    expect((await callWith(text)).out).toBe(wholeRuleText(ruleFiles()));
  });

  it('that is not there is told', async () => {
    const { exitCode, err } = await call('--alerts.file=/nowhere/alerts.yaml');
    expect({ exitCode, err }).toEqual({
      exitCode: EXIT.misused,
      err: 'error: /nowhere/alerts.yaml: there is no such file\n',
    });
  });

  it('gives the addresses that alerts link to', async () => {
    const groups = await groupsWith(
      'runbook_url: https://wiki/run\ndashboard_url: https://grafana.example/\n',
    );
    expect(JSON.stringify(alertsOf(groups, 'EdgeWafSpike'))).toContain('https://wiki/run#edgewafspike');
    expect(JSON.stringify(alertsOf(groups, 'EdgeWafSpike'))).toContain(
      'https://grafana.example/d/edge-security?var-account=',
    );
  });

  it('switches alerts off, and lowers all forms of one to the severity that is chosen', async () => {
    const groups = await groupsWith(
      'alerts:\n  EdgeWafOff: { enabled: false }\n  Edge5xxRatio: { severity: info }\n  EdgeDataStale: { severity: page }\n',
    );
    expect(alertsOf(groups, 'EdgeWafOff')).toEqual([]);
    const severities = (name: string) =>
      new Set(alertsOf(groups, name).map(({ labels }) => labels['severity']));
    expect(severities('Edge5xxRatio')).toEqual(new Set(['info']));
    expect(severities('EdgeDataStale')).toEqual(new Set(['page']));
  });

  it('is shown by an example that is a good one, shows every key and names the schema', async () => {
    expect(await call(`--alerts.file=${EXAMPLE}`)).toMatchObject({ exitCode: EXIT.ok, err: '' });
    const text = readFileSync(EXAMPLE, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/alerts\.schema\.json$/m);
    const keys = Object.keys(alertsJsonSchema().properties ?? {});
    expect(keys.filter((key) => !new RegExp(`^${key}:`, 'm').test(text))).toEqual([]);
  });

  it('has a JSON Schema beside the example, the one of this version (vitest -u writes it anew)', async () => {
    const text = `${JSON.stringify(alertsJsonSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(CONFIG, 'alerts.schema.json'));
  });

  it('can choose every parameter of every alert, and each is described', () => {
    const { alerts } = alertsJsonSchema().properties as Record<string, Schema>;
    for (const [name, { parameters }] of Object.entries(ALERTS)) {
      const { properties: known = {} } = (alerts?.properties?.[name] ?? {}) as Schema;
      expect(Object.keys(known).sort()).toEqual(['enabled', 'severity', ...Object.keys(parameters)].sort());
      for (const schema of Object.values(known)) expect(schema).toHaveProperty('description');
    }
  });
});

const MINUTE = 60_000;

function fired(groups: readonly Group[], threats: number): readonly FiredAlert[] {
  const sites = [
    ['production', 'shop-eu'],
    ['production', 'blog'],
    ['staging-1', 'shop-eu'],
  ] as const;
  return evaluate({
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.filter((rule) => 'record' in rule || rule.alert === 'EdgeWafSpike'),
    })),
    inputs: sites.map(([account, configuration]) => ({
      name: 'edge_waf_threats_per_minute',
      labels: { account, product: 'edge_applications', configuration },
      values: Float64Array.from({ length: 240 }, (_, minute) => (minute < 180 ? 5 : threats)),
    })),
    step: MINUTE,
    start: 0,
    steps: 240,
  });
}

async function firedWith(text: string, threats: number): Promise<string[]> {
  const alerts = fired(await groupsWith(text), threats).filter(
    ({ labels }) => labels['scope'] === 'configuration',
  );
  const names = alerts.map(
    ({ labels }) => `${labels['account']} ${labels['configuration']} ${labels['severity']}`,
  );
  return names.sort();
}

describe('an override', () => {
  it('is not needed: all configurations are judged alike', async () => {
    expect(await firedWith('', 300)).toEqual([
      'production blog page',
      'production shop-eu page',
      'staging-1 shop-eu page',
    ]);
  });

  const OVERRIDES = `
alerts:
  EdgeWafSpike: { floor: 100 }
overrides:
  - accounts: [production]
    configurations: ["{shop,cart}-*"]
    alerts:
      EdgeWafSpike: { floor: 400 }
  - accounts: ["staging-?"]
    alerts:
      EdgeWafSpike: { severity: ticket, floor: 200 }
  - configurations: ["*"]
    alerts:
      EdgeWafSpike: { floor: 350 }
`;

  it.each([
    [90, []],
    [250, ['staging-1 shop-eu ticket']],
    [380, ['production blog page', 'staging-1 shop-eu ticket']],
    [450, ['production blog page', 'production shop-eu page', 'staging-1 shop-eu ticket']],
  ])(
    'changes what it applies to alone, and the first that says something holds: at %i',
    async (threats, expected) => {
      expect(await firedWith(OVERRIDES, threats)).toEqual(expected);
    },
  );

  it('switches an alert off for some', async () => {
    const off = 'overrides:\n  - configurations: [blog]\n    alerts: { EdgeWafSpike: { enabled: false } }\n';
    expect(await firedWith(off, 300)).toEqual(['production shop-eu page', 'staging-1 shop-eu page']);
  });
});
