import { expect, it } from 'vitest';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { BLANK } from '../../../src/exporter/poll/job.ts';
import type { RateLimiter } from '../../../src/exporter/rate-limit/limiter.ts';
import { reportTo } from '../../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../../src/exporter/self/self-metrics.ts';
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
  const end = {
    ...BLANK,
    job: { subject } as Job,
    result,
    before: undefined,
    operations: 1,
    durationMs: 1,
    endedAt: 0,
  };
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

it('warns of jobs beyond the limit when their number changes, however often jobs are made', () => {
  const warnings: object[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  const log = { info: () => undefined, warn, error: () => undefined };
  const observer = reportTo(createSelfMetrics(), log, { now: () => 0, wall: () => 0 });
  for (const count of [0, 2, 2, 3, 0, 0, 3]) observer.jobsDropped('a', { count, first: 'x' });
  expect(warnings).toEqual([2, 3, 3].map((jobs) => ({ account: 'a', jobs, first: 'x' })));
});

it('does not warn without end of dimensions that a platform makes up', () => {
  const warnings: string[] = [];
  const warn = (_: object, message: string) => void warnings.push(message);
  const log = { info: () => undefined, warn, error: () => undefined };
  const observer = reportTo(createSelfMetrics(), log, { now: () => 0, wall: () => 0 });
  const job = { subject: { collector: 'metrics', metric: 'waf' } } as Job;
  for (let poll = 0; poll < 30; poll += 1) {
    const unknownDimensions = Array.from({ length: 100 }, (_, index) => `moon ${poll} ${index}`);
    const result = { ...FOUND, unknownDimensions };
    observer.polled('a', {
      ...BLANK,
      job,
      result,
      before: undefined,
      operations: 1,
      durationMs: 1,
      endedAt: 0,
    });
  }
  expect(warnings).toHaveLength(1_001);
  expect(warnings.at(-1)).toBe('1000 unknown metrics and dimensions: further ones are not logged');
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
    observer.polled('a', {
      ...BLANK,
      job,
      outcome,
      before: undefined,
      operations: 1,
      durationMs: 1,
      endedAt: 0,
    });
  for (let poll = 0; poll < 3; poll += 1) polled('network');
  expect(lines.splice(0)).toEqual(['polling the platform fails']);
  observer.left('a');
  polled('ok');
  expect(lines).toEqual([]);
});

it('logs each operation where debug is asked for', () => {
  const lines: object[] = [];
  const quiet = () => undefined;
  const debug = (facts: object, message: string) => void lines.push({ message, ...facts });
  const log = { debug, info: quiet, warn: quiet, error: quiet };
  const observer = reportTo(createSelfMetrics(), log, { now: () => 0, wall: () => 0 });
  const info = {
    method: 'GET',
    path: '/domains',
    version: 3,
    status: 403,
    outcome: 'forbidden',
    startedAt: 1_000,
    endedAt: 1_250,
    bytes: 40,
  } as const;
  const limiter = { limit: 80, limitInUse: 80 } as unknown as RateLimiter;
  const scope = { name: 'reads', limiter };
  observer.exchanged('a', info, { scope, contradiction: undefined });
  expect(lines).toEqual([
    {
      message: 'operation',
      account: 'a',
      method: 'GET',
      path: '/domains',
      status: 403,
      outcome: 'forbidden',
      bytes: 40,
      ms: 250,
    },
  ]);
});
