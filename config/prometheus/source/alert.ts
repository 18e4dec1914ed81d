import { type Dashboard, dashboardUrl, type Links, runbookUrl, type Variable } from './links.ts';
import { duration } from './promql.ts';
import type { AlertRule, Severity, Subject } from './rule.ts';

/** An alert as it is written down: what the rule needs besides is the same for all. */
export interface AlertDraft {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold: milliseconds. Default: none. */
  readonly hold?: number;
  readonly keepFiring?: number;
  readonly severity: Severity;
  readonly about: Subject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  readonly dashboard: Dashboard;
  /** The labels of the alert that the dashboard is opened with. */
  readonly variables: readonly Variable[];
}

/** The rule of an alert. */
export function alertRule(draft: AlertDraft, links: Links): AlertRule {
  const { alert, expr, hold = 0, keepFiring = 0, severity, about, summary, description } = draft;
  return {
    alert,
    expr,
    ...(hold > 0 && { for: duration(hold) }),
    ...(keepFiring > 0 && { keep_firing_for: duration(keepFiring) }),
    labels: { severity, about, ...draft.labels },
    annotations: {
      summary,
      description,
      dashboard_url: dashboardUrl(links, draft.dashboard, draft.variables),
      runbook_url: runbookUrl(links, alert),
    },
  };
}
