import type { DashboardJson } from './dashboard.ts';
import type { Range } from './prometheus.ts';

/** Input of the page that draws a dashboard. */
export interface Picture {
  readonly dashboard: DashboardJson;
  readonly prometheus: string;
  readonly range: Range;
  /** Value of each variable, as a regular expression. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly width: number;
}
