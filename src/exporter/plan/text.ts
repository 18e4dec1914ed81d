import { duration, plainNumber, plainShare } from '../text/figures.ts';
import { type Column, left, renderTable, right } from '../text/output.ts';
import type { AccountPlan, PlanRow, ScopePlan, Stretch } from './plan.ts';

const COLUMNS: readonly Column[] = [
  left('COLLECTOR'),
  left('PRODUCT'),
  left('LIMIT'),
  right('JOBS'),
  right('OPS/MIN'),
  right('SHARE'),
  right('SERIES'),
  left('EVERY'),
  left('DATA AGE'),
];

/** Returns a plan as readable text: verdict, table, stretched intervals, and suggestions. */
export function planText(plan: AccountPlan): string {
  const sections = [
    [verdict(plan), ...plan.scopes.map(scopeLine), ...unlistedLine(plan)],
    [
      renderTable(COLUMNS, [...plan.rows.map(cells), total(plan.rows)]).trimEnd(),
      'SERIES are those of the platform: what the exporter shows of itself comes on top.',
    ],
    plan.gives.length === 0 ? [] : ['These intervals stretch:', ...plan.gives.map(stretchLine)],
    plan.suggestions.length === 0
      ? []
      : ['Each of these would make it fit:', ...plan.suggestions.map((text) => `  ${text}`)],
    plan.notes.map((note) => `Note: ${note}.`),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function verdict({ account, api_url, fits }: AccountPlan): string {
  return `account ${account} at ${api_url}: ${fits ? 'the plan fits' : 'the plan DOES NOT FIT the quota'}`;
}

function unlistedLine({ unlisted_products: unlisted, listed_products }: AccountPlan): string[] {
  if (unlisted.length === 0) return [];
  const all = unlisted.length + listed_products;
  return [
    `  ${unlisted.length} of ${all} products cannot be listed (${unlisted.join(', ')}): their configurations are not in this plan`,
  ];
}

function scopeLine({ scope, limit, limit_named_by, reserve, allowance, demand, share_of_limit }: ScopePlan) {
  const source = limit_named_by === 'platform' ? 'named by the platform' : 'assumed';
  return (
    `  ${scope}: ${plainNumber(demand)} operations per minute are needed, ${plainNumber(allowance)} are available ` +
    `(limit ${plainNumber(limit)}, ${source}; ${plainShare(reserve)} reserved): ${plainShare(share_of_limit)} of the limit`
  );
}

function cells(row: PlanRow): string[] {
  const { collector, product, scope, jobs, demand, share_of_limit, series, age_seconds } = row;
  return [
    collector,
    product ?? '-',
    scope,
    plainNumber(jobs),
    plainNumber(demand),
    plainShare(share_of_limit),
    series === null ? '?' : plainNumber(series),
    plainRange(row.interval_seconds),
    age_seconds === null ? '-' : `up to ${duration(age_seconds)}`,
  ];
}

function total(rows: readonly PlanRow[]): string[] {
  const sum = (of: (row: PlanRow) => number) => plainNumber(rows.reduce((all, row) => all + of(row), 0));
  return [
    'total',
    '',
    '',
    sum(({ jobs }) => jobs),
    sum(({ demand }) => demand),
    '',
    sum(({ series }) => series ?? 0),
  ];
}

function plainRange([least, most]: readonly [number, number]): string {
  const [from, to] = [duration(least), duration(most)];
  return from === to ? from : `${from} to ${to}`;
}

function stretchLine({ collector, product, metrics, scheduled_seconds, interval_seconds }: Stretch): string {
  const what = [collector, product ?? ''].filter(Boolean).join(' ');
  const which = metrics.length === 0 ? '' : ` (${metrics.join(', ')})`;
  const longer = plainShare(interval_seconds / scheduled_seconds - 1);
  return `  ${what}${which}: every ${duration(interval_seconds)} instead of ${duration(scheduled_seconds)} (${longer} longer)`;
}
