import { expect, it } from 'vitest';
import { AccountStore } from '../../../src/exporter/account/account-store.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';

const MINUTE = 60_000;

it('judges how old data is by when it is shown, however long its poll has waited for others', () => {
  let now = Date.UTC(2026, 0, 5, 12);
  const log: string[] = [];
  const results = new AccountStore({
    config: { name: 'test', labels: {}, stale_after: 10 * MINUTE },
    platformClock: { skewMs: -30 * MINUTE, localNow: () => now },
    intervals: { of: () => ({ usual: MINUTE, careful: MINUTE, planned: MINUTE }) },
    store: {
      publish: (owner) => log.push(`shows ${owner}`),
      withdraw: (owner) => log.push(`withdraws ${owner}`),
    },
    outlet: { pushed: undefined },
  });
  const job: Job = {
    id: 'job',
    subject: { collector: 'metrics' },
    schedule: '* * * * *',
    group: 'metrics',
    weight: 1,
    cost: () => 1,
    read: async () => undefined,
    conclude: () => ({ outcome: 'ok', exposures: () => [] }),
    expectedAge: () => 5 * MINUTE,
  };
  const found = { part: 'now', samples: [], dataUntil: now - 34 * MINUTE };
  results.expose(job, [found]);
  now += 4 * MINUTE;
  results.expose(job, [found]);
  expect(log).toEqual(['shows test/job/now', 'withdraws test/job/now']);
});

it('leaves nothing of an account that goes before it has replaced the samples of its predecessor', () => {
  const log: string[] = [];
  const results = new AccountStore({
    config: { name: 'a', labels: {}, stale_after: 10 * MINUTE },
    platformClock: { skewMs: 0, localNow: () => 0 },
    intervals: { of: () => ({ usual: MINUTE, careful: MINUTE, planned: MINUTE }) },
    store: { publish: () => undefined, withdraw: (owner) => log.push(owner) },
    outlet: { pushed: undefined },
    held: new Set(['a/facts', 'a/quota', 'a/job/now']),
  });
  results.publish('quota', []);
  results.close();
  expect(log.toSorted()).toEqual(['a/facts', 'a/job/now', 'a/quota']);
});
