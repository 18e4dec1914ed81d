import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { ACT, DATA_TROUBLES, type Trouble } from './data-troubles.ts';
import type { Shelf } from './layout.ts';
import { LIMITS } from './limits.ts';
import { TO_ACCOUNT, TO_RUNBOOK } from './links.ts';
import { PAGES } from './page-troubles.ts';
import { largest } from './query.ts';
import { table } from './table.ts';
import { URGENCY } from './words.ts';

function row({ while: samples, says, next, act }: Trouble): string {
  const told = `label_replace(0 * ${largest(samples, 'account,alertname')} + ${ACT[act]}, "trouble", "${says}", "alertname", "(.*)")`;
  return `label_replace(${told}, "next", "${next}", "", "")`;
}

/** Query with a sample for each account and trouble. Its value is the urgency; its labels are the texts. */
export const TOLD = largest([...DATA_TROUBLES, ...PAGES].map(row).join(' or '), 'account,trouble,next');

const troubles: Panel = table({
  title: 'What is wrong, and what to do next',
  description:
    'Causes of missing data of the selected accounts, and all firing pages. Tickets are on the Overview under “What fires now”. Click a next step to open the runbook, or an account to open the Overview. Attacks and pages need the rules of config/prometheus.',
  rows: { account: 'Account', trouble: 'What is wrong', next: 'What to do next' },
  links: { Account: TO_ACCOUNT, 'What to do next': TO_RUNBOOK },
  widths: { Account: 190, 'What is wrong': 540, Act: 90 },
  sortedBy: 'Act',
  noValue: 'no trouble',
  columns: [
    {
      title: 'Act',
      expr: TOLD,
      limits: LIMITS.urgency,
      mappings: URGENCY,
    },
  ],
});

/** First shelf of every dashboard: a table with one sentence and one next step for each trouble. */
export const TROUBLES: Shelf = { height: 7, panels: [[24, troubles]] };
