import { URGENT } from './annotations.ts';
import { TO_ACCOUNT, TO_NAMESAKE } from './links.ts';
import { of } from './query.ts';
import { table } from './table.ts';

const ALERT = 'alertname,severity,account,configuration';
const FIRING = `count by (${ALERT}) (${URGENT})`;
/** Prometheus keeps as its value since when an alert has been pending or firing. */
const SINCE = of('ALERTS_FOR_STATE', 'alertname=~"Edge.+"', 'account=~"$account|"', 'severity!="info"');

/** What fires, and for whom. */
export const firing = table({
  title: 'What fires now',
  description:
    'The firing alerts that want somebody to act, pages before tickets, with the time since when their condition has held; configuration “none” means the account as a whole. A click on a configuration or an account leads there; the value and the runbook are in the notification. The list is empty too where Prometheus has not loaded the rules.',
  unit: 'short',
  rows: { alertname: 'Alert', severity: 'Severity', account: 'Account', configuration: 'Configuration' },
  links: { Account: TO_ACCOUNT, Configuration: TO_NAMESAKE },
  columns: [
    { title: 'Firing', expr: FIRING },
    {
      title: 'Since',
      expr: `1000 * min by (${ALERT}) (${SINCE}) and on (${ALERT}) ${FIRING}`,
      unit: 'dateTimeFromNow',
    },
  ],
  sortedBy: 'Severity',
  order: 'ascending',
  noValue: 'none',
});
