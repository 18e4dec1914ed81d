import { beforeEach, expect, it } from 'vitest';
import type { Outcome } from '../../../src/exporter/platform/read.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { FailureLog } from '../../../src/exporter/self/lasting-problems.ts';
import { heapInUse } from '../../heap-in-use.ts';

let lines: string[];
let log: FailureLog;
let jobs: Map<string, Job>;

beforeEach(() => {
  lines = [];
  jobs = new Map();
  const note = (level: string) => (facts: object, message: string) => {
    const { job = '', outcome = '', after = '' } = facts as Record<string, string>;
    lines.push([level, message, job, outcome || after].filter(Boolean).join(' '));
  };
  log = new FailureLog({ info: note('info'), warn: note('warn') });
});

function polled(id: string, outcome: Outcome, group = 'domains'): void {
  const job = jobs.get(id) ?? ({ id, group } as Job);
  jobs.set(id, job);
  log.polled({
    job,
    outcome,
    before: undefined,
    reason: 'why',
    result: undefined,
    committed: false,
    rejected: undefined,
    foreignAnswer: undefined,
    operations: 1,
    durationMs: 1,
    endedAt: 0,
  });
}

it('tells of a platform in trouble once, however many jobs feel it, and when it works again', () => {
  for (let poll = 0; poll < 5; poll += 1) for (const id of ['x', 'y', 'z']) polled(id, 'network');
  expect(lines).toEqual(['warn polling the platform fails network']);
  polled('x', 'ok');
  polled('y', 'ok');
  expect(lines).toEqual([
    'warn polling the platform fails network',
    'info polling the platform works again network',
  ]);
});

it('does not tell of one failure that passes', () => {
  polled('x', 'timeout');
  polled('y', 'ok');
  polled('x', 'ok');
  expect(lines).toEqual([]);
});

it('tells at once, and once, of a job that is refused', () => {
  for (let poll = 0; poll < 3; poll += 1) polled('x', 'forbidden');
  polled('y', 'ok');
  expect(lines).toEqual(['warn poll failed x forbidden']);
  polled('x', 'empty');
  expect(lines.at(-1)).toBe('info poll succeeds again x forbidden');
});

it('tells of a single job that keeps failing while the platform works for the others', () => {
  for (let poll = 0; poll < 4; poll += 1) {
    polled('x', 'server_error');
    polled('y', 'ok');
  }
  expect(lines).toEqual(['warn poll failed x server_error']);
});

it('tells when the reason changes', () => {
  polled('x', 'forbidden');
  polled('x', 'not_found');
  expect(lines).toEqual(['warn poll failed x forbidden', 'warn poll failed x not_found']);
});

it('tells once of an outage that shows itself in several ways', () => {
  const ways = ['timeout', 'network', 'server_error', 'rate_limited'] as const;
  for (let poll = 0; poll < 5; poll += 1) for (const way of ways) polled('x', way);
  expect(lines).toEqual(['warn polling the platform fails server_error']);
  polled('x', 'unauthorized');
  polled('x', 'timeout');
  polled('x', 'unauthorized');
  expect(lines.slice(1)).toEqual(['warn polling the platform fails unauthorized']);
  polled('x', 'ok');
  for (const way of ways) polled('x', way);
  expect(lines.slice(2)).toEqual([
    'info polling the platform works again unauthorized',
    'warn polling the platform fails server_error',
  ]);
});

it('tells once of a single job that fails in several general ways', () => {
  for (let poll = 0; poll < 4; poll += 1) {
    for (const way of ['timeout', 'server_error'] as const) {
      polled('x', way);
      polled('y', 'ok');
    }
  }
  expect(lines).toEqual(['warn poll failed x timeout']);
});

it('does not take a poll that asked nothing for a platform that works', () => {
  for (let poll = 0; poll < 3; poll += 1) polled('x', 'network');
  const job = { id: 'idle' } as Job;
  const nothing = {
    reason: undefined,
    result: undefined,
    committed: false,
    rejected: undefined,
    foreignAnswer: undefined,
    operations: 0,
    durationMs: 0,
    endedAt: 0,
  };
  log.polled({ job, outcome: 'empty', before: undefined, ...nothing });
  polled('x', 'network');
  expect(lines).toEqual(['warn polling the platform fails network']);
});

it('does not remember what failed and is gone', () => {
  let gone = 0;
  const forget = () => {
    for (const end = gone + 20_000; gone < end; gone += 1) polled(`gone ${gone}`, 'not_found');
    jobs.clear();
    lines = [];
    return heapInUse();
  };
  const before = forget();
  // Each job would take 500 bytes.
  expect(forget() - before).toBeLessThan(2_000_000);
});
