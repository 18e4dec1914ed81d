import { expect, it } from 'vitest';
import { leftAlone } from '../../../src/exporter/backfill/history-account.ts';

it.each([
  ['the reserve alone where no exporter needs anything', 0.2, 0, 0.2],
  ['what an exporter needs on top of the reserve', 0.2, 30, 0.5],
  ['a tenth for the history, however much an exporter needs', 0.2, 500, 0.9],
  ['not less than a reserve that is greater still', 0.95, 500, 0.95],
])('leaves alone %s', (_, reserve, demand, share) => {
  expect(leftAlone(reserve, demand, 100)).toBeCloseTo(share);
});
