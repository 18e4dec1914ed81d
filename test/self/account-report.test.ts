import { expect, it } from 'vitest';
import type { Job } from '../../src/poll/job.ts';
import { BLANK } from '../../src/poll/result.ts';
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

it('knows nothing any more of the failures of an account that has left', () => {
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);
  const observer = reportTo(
    createSelfMetrics(),
    { info: note, warn: note, error: note },
    { now: () => 0, wall: () => 0 },
  );
  const job = { id: 'x', subject: { collector: 'metrics' } } as Job;
  const polled = (outcome: 'network' | 'ok') =>
    observer.polled('a', { ...BLANK, job, outcome, operations: 1, durationMs: 1 });
  for (let poll = 0; poll < 3; poll += 1) polled('network');
  expect(lines.splice(0)).toEqual(['polling the platform fails']);
  observer.left('a');
  polled('ok');
  expect(lines).toEqual([]);
});
