import { expect, it } from 'vitest';
import { AccountStore } from '../../../src/exporter/account/account-store.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { ScheduledJob } from '../../../src/exporter/poll/schedule.ts';

const MINUTE = 60_000;

const [ACCOUNT] = CONFIG.parse({
  accounts: [{ name: 'test', api_url: 'https://api.example.net', token: 'x' }],
}).accounts;

it('judges how old data is by when it is shown, however long its poll has waited for others', () => {
  let now = Date.UTC(2026, 0, 5, 12);
  const log: string[] = [];
  if (ACCOUNT === undefined) throw new Error('one account was configured');
  const { credentials, collectors } = ACCOUNT;
  const results = new AccountStore({
    config: { name: 'test', labels: {}, stale_after: 10 * MINUTE, collectors, credentials },
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
  const scheduled = new ScheduledJob(job, now);
  const found = { part: 'now', samples: [], dataUntil: now - 34 * MINUTE };
  results.expose(scheduled, [found]);
  now += 4 * MINUTE;
  results.expose(scheduled, [found]);
  expect(log).toEqual(['shows test/job/now', 'withdraws test/job/now']);
});
