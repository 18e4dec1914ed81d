import { expect, it } from 'vitest';
import { growth, of, SITE, sum } from '../../grafana/source/query.ts';
import { accountFamilies, ownFamilies, trafficFamilies } from '../reference/exported-families.ts';
import { committed, queriesOf } from './committed.ts';
import { asAsked, type Selector, selectorsOf } from './promql.ts';

const LABELS = new Map(
  [...trafficFamilies(), ...accountFamilies(), ...ownFamilies()].map(({ name, labels }) => [name, labels]),
);

const WORK =
  /^edge_exporter_(operations|operations_waiting|polls|poll_duration_seconds|jobs|quota_wait_seconds|settle_seconds|series|state|push|outbox|interval)/;

function doubled(expression: string): readonly string[] {
  return selectorsOf(withoutGrowth(asAsked(expression)))
    .filter(({ metric }) => metric?.startsWith('edge_') && !WORK.test(metric))
    .filter((selector) => !isTakenOnce(selector))
    .map(({ text }) => text);
}

function withoutGrowth(expression: string): string {
  const families = new Set(selectorsOf(expression).flatMap(({ metric }) => metric ?? []));
  return [...families].reduce(
    (text, family) => text.replaceAll(asAsked(growth(family, SITE)), '1'),
    expression,
  );
}

function isTakenOnce({ metric = '', aggregations, within }: Selector): boolean {
  const [first, ...outer] = aggregations;
  if (first === undefined) return within.includes('absent');
  const isOne = first.operator === 'max' || first.operator === 'min';
  // `group` always yields 1, regardless of the number of series.
  if (first.operator === 'group') return true;
  const isSummed = outer.some(({ operator }) => /^(sum|avg|count|topk)$/.test(operator));
  const lost = (LABELS.get(metric) ?? []).filter((label) => !first.by.includes(label));
  return isOne && (!isSummed || lost.length === 0);
}

it('adds up nothing twice where two exporters show one account, and loses no series by that', () => {
  const found = committed()
    .flatMap(queriesOf)
    .flatMap(({ file, title, expr }) => doubled(expr).map((text) => `${file}, ${title}: ${text}`));
  expect(found).toEqual([]);
});

it('finds what is added up twice, or taken for one although it is two', () => {
  const family = 'edge_responses_per_minute';
  expect(doubled(sum(of(family, SITE)))).toHaveLength(1);
  expect(doubled(of(family, SITE))).toHaveLength(1);
  expect(
    doubled(sum(`max by (account,product,configuration_id,configuration,code) (${of(family)})`)),
  ).toHaveLength(1);
  expect(doubled(sum(growth('edge_requests_total', SITE)))).toEqual([]);
});
