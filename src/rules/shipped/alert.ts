import { ALERTS, type AlertName, FIRST_STEPS } from './alert-catalogue.ts';
import {
  type Form,
  type Judged,
  labelsNamed,
  type Selection,
  selected,
  type Tuning,
} from './alert-settings.ts';
import { duration } from './promql.ts';
import {
  type AlertRule,
  type Dashboard,
  dashboardUrl,
  type Links,
  type Severity,
  type Subject,
} from './rule.ts';

/** Definition of an alert, without the parts of a rule that all alerts share. */
export interface AlertDefinition {
  readonly alert: AlertName;
  readonly expr: string;
  /** Series that an alerts file selects by label; they exist while the alert fires. */
  readonly judged: Judged;
  /** Time (ms) of the rule's `for`; default: none. */
  readonly hold?: number;
  readonly keepFiring?: number;
  /** Severity; default: that of the catalogue. */
  readonly severity?: Severity;
  readonly about: Subject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** Linked dashboard; default: that of the subject. */
  readonly dashboard?: Dashboard;
}

function dashboardOf({ about, dashboard, judged: { labels } }: AlertDefinition): Dashboard {
  if (dashboard !== undefined) return dashboard;
  if (about !== 'traffic') return about === 'settings' ? 'edge-security' : 'edge-exporter';
  return labels.includes('configuration') ? 'edge-configuration' : 'edge-overview';
}

/**
 * Returns the rules of some alerts. Forms that an alerts file makes equal are one rule, because Prometheus refuses two rules with
 * the same name and labels.
 */
export function alertRules(definitions: readonly AlertDefinition[], tuning: Tuning): readonly AlertRule[] {
  const rules = new Map<string, AlertRule>();
  for (const { expr, ...rule } of definitions.flatMap((definition) => formsOf(definition, tuning))) {
    const key = JSON.stringify(rule);
    const same = rules.get(key);
    rules.set(key, { ...rule, expr: same === undefined ? expr : `${same.expr}\nor\n(\n${expr}\n)` });
  }
  return [...rules.values()].map(({ alert, expr, ...rest }) => ({ alert, expr, ...rest }));
}

/** Returns the rules of an alert: none if it is disabled, several if severities differ. */
function formsOf(definition: AlertDefinition, tuning: Tuning): readonly AlertRule[] {
  const { alert, severity = ALERTS[alert].severity, judged } = definition;
  return tuning
    .forms(alert, severity, judged.labels)
    .map((form) => alertRule(definition, form, tuning.settings.links));
}

function alertRule(definition: AlertDefinition, form: Form, { grafana, runbook }: Links): AlertRule {
  const { alert, hold = 0, keepFiring = 0, about, summary } = definition;
  const description = `${definition.description}${exporterOf(definition)}`;
  const dashboard =
    grafana === undefined
      ? undefined
      : dashboardUrl(grafana, dashboardOf(definition), definition.judged.labels);
  return {
    alert,
    expr: restricted(definition, form),
    ...(hold > 0 && { for: duration(hold) }),
    ...(keepFiring > 0 && { keep_firing_for: duration(keepFiring) }),
    labels: { severity: form.severity, about, ...definition.labels },
    annotations: {
      summary,
      description: form.severity === 'info' ? description : `${description} First: ${FIRST_STEPS[alert]}`,
      runbook_url: `${runbook}#${alert.toLowerCase()}`,
      ...(dashboard !== undefined && { dashboard_url: dashboard }),
    },
  };
}

/** Returns a template with the exporters of an account, whose status page is often the first step. */
function exporterOf({ about, judged }: AlertDefinition): string {
  if (about !== 'exporter' || !judged.labels.includes('account')) return '';
  const targets = 'printf "edge_up{account=%q}" $labels.account | query';
  return `{{ with ${targets} }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }}`;
}

function restricted({ expr, judged }: AlertDefinition, { where, except }: Form): string {
  if (where === undefined && except.length === 0) return expr;
  // Compares only the labels of the selection: an account's alert has no configuration.
  const of = (one: Selection): string => `on (${labelsNamed(one).join(', ')}) ${selected(judged, one)}`;
  const parts = [
    `(\n${expr}\n)`,
    ...(where === undefined ? [] : [`and ${of(where)}`]),
    ...except.map((one) => `unless ${of(one)}`),
  ];
  return parts.join('\n');
}
