import { stringify } from 'yaml';
import type { RuleFiles } from './rule-files.ts';

const HEADER = `# Written by edge-exporter rules: choose thresholds in an alerts file (--alerts.file) instead of here.
# For Prometheus 2.42 or later. Ranges end half a minute early, so that every version takes the same samples.
`;

/** The texts of Prometheus' rule files by name. */
export function ruleTexts({ recording, alerts }: RuleFiles): Readonly<Record<string, string>> {
  return {
    'recording.rules.yml': ruleText(recording),
    'alerts.rules.yml': ruleText(alerts),
  };
}

/** All rules in one file. */
export function wholeRuleText({ recording, alerts }: RuleFiles): string {
  return ruleText({ groups: [...recording.groups, ...alerts.groups] });
}

/** All rules as a resource of the Prometheus operator. */
export function kubernetesRuleText({ recording, alerts }: RuleFiles): string {
  return ruleText({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'edge-exporter', labels: { 'app.kubernetes.io/name': 'edge-exporter' } },
    spec: { groups: [...recording.groups, ...alerts.groups] },
  });
}

/** A rule file as YAML. */
export function ruleText(file: object): string {
  return `${HEADER}${stringify(file, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
