import { chart } from './chart.ts';
import { BY_SITE, mean, of, once, SITE, sum } from './query.ts';

export const THREATS = 'edge_waf_threats_per_minute';

const FAMILIES = {
  sql: 'SQL injection',
  xss: 'cross-site scripting',
  rfi: 'remote file inclusion',
  other: 'other attacks',
} as const;

/** Chart of threats by attack family. */
export const threatsByFamily = chart({
  title: 'Threats by family',
  description: 'Threats per minute by kind of attack. Their sum is all detected threats.',
  shape: 'stack',
  queries: Object.entries(FAMILIES).map(([family, legend]) => ({
    expr: sum(mean('edge_waf_threats_by_family_per_minute', SITE, `family="${family}"`)),
    legend,
  })),
});

/** Returns a query for the ratio of threats in the last ten minutes to the same hour of the day before. */
export function timesUsual(by?: string): string {
  const around = (range: string) =>
    once(`avg_over_time(${of(THREATS, SITE)}${range})`, `${BY_SITE},configuration_id`);
  const recent = sum(around('[10m]'), by);
  const usual = sum(around('[1h] offset 23h30m'), by);
  return `${recent} / (${usual} > 0)`;
}
