/** A rule that records a series. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** A rule that fires an alert, in the form of a Prometheus rule file. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: AlertLabels;
  readonly annotations: Annotations;
}

/** `page`: act now. `ticket`: next working day. `info`: context. */
export type Severity = 'page' | 'ticket' | 'info';

/** Subject of an alert. */
export type Subject = 'traffic' | 'settings' | 'exporter';

/** Data of a configuration that an alert depends on. While it is stale, the alert is not reliable. */
export type Data = 'waf' | 'status_code' | 'requests';

export interface AlertLabels {
  readonly severity: Severity;
  readonly about: Subject;
  /** Scope that the alert evaluates, if it has several. */
  readonly scope?: string;
  readonly [label: string]: string | undefined;
}

export interface Annotations {
  readonly summary: string;
  readonly description: string;
  readonly runbook_url: string;
  readonly dashboard_url?: string;
}

/** Rules that are evaluated in sequence at the same moment. */
export interface RuleGroup<Rule> {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

/** Links of alerts. */
export interface Links {
  /** URL of the runbook; the anchor is an alert's section. */
  readonly runbook: string;
  /** URL of Grafana without a final slash; undefined if unknown. */
  readonly grafana: string | undefined;
}

/** Default links: the public runbook, and no Grafana. */
export const LINKS: Links = {
  runbook: 'https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md',
  grafana: undefined,
};

export type Dashboard = 'edge-overview' | 'edge-configuration' | 'edge-security' | 'edge-exporter';

/** Returns a template for the URL of a dashboard, with its variables set from the alert's labels. */
export function dashboardUrl(grafana: string, dashboard: Dashboard, labels: readonly string[]): string {
  const variables = labels.filter((name) => dashboard !== 'edge-exporter' || name === 'account');
  const chosen = variables.map((name) => `var-${name}={{ $labels.${name} | urlquery }}`);
  return `${grafana}/d/${dashboard}${chosen.length === 0 ? '' : `?${chosen.join('&')}`}`;
}
