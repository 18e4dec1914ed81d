/** A rule that records a series. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** A rule that fires an alert, as Prometheus reads it. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels: AlertLabels;
  readonly annotations: Annotations;
}

/** `page` wakes somebody, `ticket` waits for the morning, `info` is only written down. */
export type Severity = 'page' | 'ticket' | 'info';

/** What an alert is about. */
export type Subject = 'traffic' | 'settings' | 'exporter';

/** The data of a configuration that an alert is made of: what is stale of it makes its judgements worthless. */
export type Data = 'waf' | 'status_code' | 'requests';

export interface AlertLabels {
  readonly severity: Severity;
  readonly about: Subject;
  /** What was judged, where an alert is judged at several levels. */
  readonly scope?: string;
  readonly [label: string]: string | undefined;
}

export interface Annotations {
  readonly summary: string;
  readonly description: string;
  readonly runbook_url: string;
  readonly dashboard_url?: string;
}

/** Rules that are evaluated one after another, at the same moment. */
export interface RuleGroup<Rule> {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly Rule[];
}

/** Where people find what an alert points to. */
export interface Links {
  /** The runbook's page; an alert's section is its anchor. */
  readonly runbook: string;
  /** Grafana, without a slash at the end. Undefined where nobody has said where it is. */
  readonly grafana: string | undefined;
}

/** The runbook of this version, where everybody can read it. */
export const LINKS: Links = {
  runbook: 'https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md',
  grafana: undefined,
};

export type Dashboard = 'edge-overview' | 'edge-configuration' | 'edge-security' | 'edge-exporter';

/** The address of a dashboard with what the alert's labels say chosen, as far as it has variables for them: a template of Prometheus. */
export function dashboardUrl(grafana: string, dashboard: Dashboard, labels: readonly string[]): string {
  const variables = labels.filter((name) => dashboard !== 'edge-exporter' || name === 'account');
  const chosen = variables.map((name) => `var-${name}={{ $labels.${name} | urlquery }}`);
  return `${grafana}/d/${dashboard}${chosen.length === 0 ? '' : `?${chosen.join('&')}`}`;
}
