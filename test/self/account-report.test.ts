import { expect, it } from 'vitest';
import { reportTo } from '../../src/self/account-report.ts';
import { createSelfMetrics } from '../../src/self/metrics.ts';

it('warns of an unknown dimension once for each account, and anew when an account comes back', () => {
  const warnings: object[] = [];
  const log = {
    info: () => undefined,
    warn: (facts: object) => void warnings.push(facts),
    error: () => undefined,
  };
  const observer = reportTo(createSelfMetrics(), log, () => 0);
  const subject = { collector: 'metrics', metric: 'waf' };
  const told = () => {
    for (const account of ['a', 'a', 'b']) observer.unknownDimensions(account, subject, ['moon']);
    return warnings.splice(0);
  };
  const about = (account: string) => ({ account, metric: 'waf', dimension: 'moon' });
  expect(told()).toEqual([about('a'), about('b')]);
  expect(told()).toEqual([]);
  observer.left('a');
  expect(told()).toEqual([about('a')]);
});
