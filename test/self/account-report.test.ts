import { expect, it } from 'vitest';
import type { Job } from '../../src/poll/job.ts';
import { BLANK } from '../../src/poll/poll-end.ts';
import { reportTo } from '../../src/self/account-report.ts';
import { createSelfMetrics } from '../../src/self/self-metrics.ts';
import { FOUND } from '../poll/polling.ts';

it('warns of an unknown dimension once for each account, and anew when an account comes back', () => {
  const warnings: object[] = [];
  const log = {
    info: () => undefined,
    warn: (facts: object) => void warnings.push(facts),
    error: () => undefined,
  };
  const observer = reportTo(createSelfMetrics(), log, { now: () => 0, wall: () => 0 });
  const subject = { collector: 'metrics', metric: 'waf' };
  const result = { ...FOUND, unknownDimensions: ['moon'] };
  const end = { ...BLANK, job: { subject } as Job, result, operations: 1, durationMs: 1 };
  const told = () => {
    for (const account of ['a', 'a', 'b']) observer.polled(account, end);
    return warnings.splice(0);
  };
  const about = (account: string) => ({ account, metric: 'waf', dimension: 'moon' });
  expect(told()).toEqual([about('a'), about('b')]);
  expect(told()).toEqual([]);
  observer.left('a');
  expect(told()).toEqual([about('a')]);
});
