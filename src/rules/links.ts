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

/** The variables of the dashboards, as labels of an alert give their values. */
export type Variable = 'account' | 'product' | 'configuration';

/** The address of a dashboard with the alert's account and configuration chosen: a template of Prometheus. */
export function dashboardUrl(grafana: string, dashboard: Dashboard, variables: readonly Variable[]): string {
  const chosen = variables.map((name) => `var-${name}={{ $labels.${name} | urlquery }}`);
  return `${grafana}/d/${dashboard}${chosen.length === 0 ? '' : `?${chosen.join('&')}`}`;
}

/** The address of an alert's section in the runbook. */
export function runbookUrl(runbook: string, alert: string): string {
  return `${runbook}#${alert.toLowerCase()}`;
}
