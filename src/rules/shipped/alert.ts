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

/** An alert as it is written down: what the rule needs besides is the same for all. */
export interface AlertDefinition {
  readonly alert: AlertName;
  readonly expr: string;
  /** The series by whose labels an alerts file tells one such alert from another; they are there while it fires. */
  readonly judged: Judged;
  /** How long the condition must hold: milliseconds. Default: none. */
  readonly hold?: number;
  readonly keepFiring?: number;
  /** Default: as the catalogue says. */
  readonly severity?: Severity;
  readonly about: Subject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** Where it leads, unless to where its subject is shown. */
  readonly dashboard?: Dashboard;
}

function dashboardOf({ about, dashboard, judged: { labels } }: AlertDefinition): Dashboard {
  if (dashboard !== undefined) return dashboard;
  if (about !== 'traffic') return about === 'settings' ? 'edge-security' : 'edge-exporter';
  return labels.includes('configuration') ? 'edge-configuration' : 'edge-overview';
}

/**
 * The rules of some alerts. Forms of one that differ in nothing but severity, and are equally grave by the alerts file, are
 * one rule: Prometheus takes two of the same name and labels for a mistake.
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

/** The rules of an alert: one, or none where it is switched off, or several where it is not equally grave for all. */
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

/** Where the exporter of an account is: its status page is what most of its alerts ask for first. */
function exporterOf({ about, judged }: AlertDefinition): string {
  if (about !== 'exporter' || !judged.labels.includes('account')) return '';
  const targets = 'printf "edge_up{account=%q}" $labels.account | query';
  return `{{ with ${targets} }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }}`;
}

/** The expression of an alert where it is about the series of its form alone. */
function restricted({ expr, judged }: AlertDefinition, { where, except }: Form): string {
  if (where === undefined && except.length === 0) return expr;
  // Only the labels that a selection names are compared: an account's own alert has no configuration.
  const of = (one: Selection): string => `on (${labelsNamed(one).join(', ')}) ${selected(judged, one)}`;
  const parts = [
    `(\n${expr}\n)`,
    ...(where === undefined ? [] : [`and ${of(where)}`]),
    ...except.map((one) => `unless ${of(one)}`),
  ];
  return parts.join('\n');
}
