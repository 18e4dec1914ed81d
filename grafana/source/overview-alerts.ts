import { URGENT } from './annotations.ts';
import { table } from './table.ts';

/** What fires, and for whom. */
export const firing = table({
  title: 'What fires now',
  description:
    'The firing alerts that want somebody to act, pages before tickets; configuration “none” means the account as a whole. The list is empty too where Prometheus has not loaded the rules.',
  unit: 'short',
  rows: { alertname: 'Alert', severity: 'Severity', account: 'Account', configuration: 'Configuration' },
  columns: [{ title: 'Firing', expr: `count by (alertname, severity, account, configuration) (${URGENT})` }],
  sortedBy: 'Severity',
  order: 'ascending',
  noValue: 'none',
});
