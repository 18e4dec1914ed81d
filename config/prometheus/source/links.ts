/** Where people find what an alert points to. Each of them is set in this one place. */
export interface Links {
  /** The runbook, relative to the repository unless told otherwise. An alert's section is its anchor. */
  readonly runbook: string;
  /** Grafana, without a slash at the end. */
  readonly grafana: string;
}

export const LINKS: Links = {
  runbook: 'config/prometheus/runbook.md',
  grafana: 'http://localhost:3000',
};

export type Dashboard = 'edge-overview' | 'edge-configuration' | 'edge-security' | 'edge-exporter';

/** The variables of the dashboards, as labels of an alert give their values. */
export type Variable = 'account' | 'product' | 'configuration';

/** The address of a dashboard with the alert's account and configuration chosen: a template of Prometheus. */
export function dashboardUrl(
  { grafana }: Links,
  dashboard: Dashboard,
  variables: readonly Variable[],
): string {
  const chosen = variables.map((name) => `var-${name}={{ $labels.${name} | urlquery }}`);
  return `${grafana}/d/${dashboard}${chosen.length === 0 ? '' : `?${chosen.join('&')}`}`;
}

/** The address of an alert's section in the runbook. */
export function runbookUrl({ runbook }: Links, alert: string): string {
  return `${runbook}#${alert.toLowerCase()}`;
}
