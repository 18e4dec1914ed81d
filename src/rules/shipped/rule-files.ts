import { stringify } from 'yaml';
import { type AlertDefinition, alertRules } from './alert.ts';
import { type AlertSettings, SHIPPED, Tuning } from './alert-settings.ts';
import { baselineRules, minuteRules, relearningRule } from './baselines.ts';
import { longRatioRules, responseRules, shortRatioRules } from './error-rules.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { freshnessRules } from './freshness-rules.ts';
import { measures } from './measures.ts';
import { originAlerts, originRules, usualOriginRules } from './origin-alerts.ts';
import { platformAlerts } from './platform-alerts.ts';
import { duration } from './promql.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';
import { protectionAlerts, settingsAlerts } from './settings-alerts.ts';
import { TIMES, type Times } from './times.ts';
import { trafficAlerts } from './traffic-alerts.ts';

/** The two rule files. */
export interface RuleFiles {
  readonly recording: { readonly groups: readonly RuleGroup<RecordingRule>[] };
  readonly alerts: { readonly groups: readonly RuleGroup<AlertRule>[] };
}

/** Returns all rules for the settings. @param times shipped times; only tests pass others */
export function ruleFiles(settings: AlertSettings = SHIPPED, times: Times = TIMES): RuleFiles {
  const tuning = new Tuning(settings);
  return {
    recording: { groups: recordingGroups(times, tuning) },
    alerts: { groups: alertGroups(times, tuning) },
  };
}

function group<Rule>(name: string, every: number, rules: readonly Rule[]): RuleGroup<Rule> {
  return { name, interval: duration(every), rules };
}

function recordingGroups(times: Times, tuning: Tuning): readonly RuleGroup<RecordingRule>[] {
  const { minute, baseline } = times;
  return [
    group('edge-minutes', minute, [
      ...responseRules(),
      relearningRule(times),
      ...measures().flatMap((measure) => minuteRules(measure, times, tuning)),
    ]),
    group('edge-freshness', minute, freshnessRules(times, tuning)),
    group('edge-error-ratios-long', baseline, longRatioRules(times)),
    group('edge-error-ratios', minute, shortRatioRules(times, tuning)),
    group('edge-origins', minute, originRules(times, tuning)),
    group('edge-origins-usual', baseline, usualOriginRules(times)),
    ...measures().map((measure) =>
      group(`edge-baseline-${measure.name}`, baseline, baselineRules(measure, times, tuning)),
    ),
  ];
}

function alertGroups(times: Times, tuning: Tuning): readonly RuleGroup<AlertRule>[] {
  const judged = (name: string, alerts: readonly AlertDefinition[]) =>
    group(name, times.minute, alertRules(alerts, tuning));
  const groups = [
    judged('edge-traffic', [...trafficAlerts(times, tuning), ...originAlerts(times, tuning)]),
    judged('edge-settings', [...protectionAlerts(times), ...settingsAlerts(times, tuning)]),
    judged('edge-platform', platformAlerts(times, tuning)),
    judged('edge-exporter', exporterAlerts(times, tuning)),
  ];
  return groups.filter(({ rules }) => rules.length > 0);
}

const HEADER = `# Written by edge-exporter rules: choose thresholds in an alerts file (--alerts.file) instead of here.
# For Prometheus 2.42 or later. Ranges end half a minute early, so that every version takes the same samples.
`;

/** Returns the texts of Prometheus' rule files by name. */
export function ruleTexts({ recording, alerts }: RuleFiles): Readonly<Record<string, string>> {
  return {
    'recording.rules.yml': ruleText(recording),
    'alerts.rules.yml': ruleText(alerts),
  };
}

/** Returns all rules in one file. */
export function wholeRuleText({ recording, alerts }: RuleFiles): string {
  return ruleText({ groups: [...recording.groups, ...alerts.groups] });
}

/** Returns all rules as a resource of the Prometheus operator. */
export function kubernetesRuleText({ recording, alerts }: RuleFiles): string {
  return ruleText({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'edge-exporter', labels: { 'app.kubernetes.io/name': 'edge-exporter' } },
    spec: { groups: [...recording.groups, ...alerts.groups] },
  });
}

/** Returns all rules for a mixin: JSON, which is valid jsonnet. */
export function jsonnetRuleText({ recording, alerts }: RuleFiles): string {
  return `${JSON.stringify({ prometheusRules: recording, prometheusAlerts: alerts }, null, 2)}\n`;
}

/** Returns a rule file as YAML. */
export function ruleText(file: object): string {
  return `${HEADER}${stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
