import { FIRING } from './annotations.ts';
import { table } from './table.ts';

/** What fires, and for whom. */
export const firing = table({
  title: 'What fires now',
  description:
    'The firing alerts, with whom they concern; configuration “none” means the account as a whole. The list is empty too where Prometheus has not loaded the rules.',
  unit: 'short',
  rows: { alertname: 'Alert', severity: 'Severity', account: 'Account', configuration: 'Configuration' },
  columns: [{ title: 'Firing', expr: `count by (alertname, severity, account, configuration) (${FIRING})` }],
  sortedBy: 'Severity',
  noValue: 'none',
});
