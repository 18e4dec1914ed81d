import { expect, it } from 'vitest';
import { ExposedResults } from '../../../src/exporter/account/account-store.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { ScheduledJob } from '../../../src/exporter/poll/schedule.ts';

const MINUTE = 60_000;

it('judges how old data is by when it is shown, however long its poll has waited for others', () => {
  let now = Date.UTC(2026, 0, 5, 12);
  const log: string[] = [];
  const results = new ExposedResults({
    account: 'test',
    platformClock: { now: () => now - 30 * MINUTE, localNow: () => now },
    forecast: { intervalsOf: () => ({ usual: MINUTE, careful: MINUTE, planned: MINUTE }) },
    store: {
      publishAll: (found) => log.push(...found.map(({ owner }) => `shows ${owner}`)),
      withdraw: (owner) => log.push(`withdraws ${owner}`),
    },
    exposes: () => true,
    staleAfter: 10 * MINUTE,
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
  const scheduled = new ScheduledJob(job, now);
  const found = { part: 'now', samples: [], dataUntil: now - 34 * MINUTE };
  results.expose(scheduled, [found]);
  now += 4 * MINUTE;
  results.expose(scheduled, [found]);
  expect(log).toEqual(['shows test/job/now', 'withdraws test/job/now']);
});
