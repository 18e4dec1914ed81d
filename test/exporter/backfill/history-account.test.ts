import { expect, it } from 'vitest';
import { demandOf, leftAlone } from '../../../src/exporter/backfill/history-account.ts';
import type { PlannedSeries } from '../../../src/exporter/backfill/plan.ts';
import { accountsAt } from './history-bed.ts';

it.each([
  ['the reserve alone where no exporter needs anything', 0.2, 0, 0.2],
  ['what an exporter needs on top of the reserve', 0.2, 30, 0.5],
  ['a tenth for the history, however much an exporter needs', 0.2, 500, 0.9],
  ['not less than a reserve that is greater still', 0.95, 500, 0.95],
])('leaves alone %s', (_, reserve, demand, share) => {
  expect(leftAlone(reserve, demand, 100)).toBeCloseTo(share);
});

it('knows what an exporter needs by the schedules of its products', () => {
  const products = { edge_applications: {}, edge_functions: { schedule: '*/5 * * * *' } };
  const [account] = accountsAt('http://127.0.0.1', { collectors: { metrics: { products } } });
  if (account === undefined) throw new Error('no account');
  const one = {
    account: 'test',
    api: 'metrics',
    by: 'configuration',
    id: '1',
    name: 'shop',
    metric: 'waf',
  } as const;
  const series = ['edge_applications', 'edge_applications', 'edge_functions'].map(
    (product): PlannedSeries => ({ ...one, product }),
  );
  expect(demandOf(account, series)).toBeCloseTo(2.2);
  expect(demandOf(account, [{ ...one, product: 'l2_caching' }])).toBeCloseTo(1);
});
