import { appendFileSync } from "node:fs";
import { expect, it } from 'vitest';
import { Story, WEEK } from './chaos-script.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';
import { auditBooks } from './true-books.ts';

const MINUTE = 60_000;
const DAYS = 7;

/**
 * What cannot be survived by construction, and is therefore not among the faults: a value that is plausible but wrong in
 * a settled bucket (nothing tells it from a right one), and a bucket that changes after the settle delay, which is
 * counted as it was and reported as a late restatement.
 */
it('loses no bucket and counts none twice in a week of faults, outages, restarts and wrong clocks', async () => {
  const simulation = await simulate({
    skew: 7 * MINUTE,
    sandbox: {
      configurations: 19,
      domainsPerConfiguration: 1,
      rateLimit: { reads: 2_000, writes: 20, purges: 20 },
    },
    account: {
      request: { timeout: '1s' },
      collectors: {
        metrics: {
          schedule: '*/15 * * * *',
          products: { edge_applications: { metrics: ['status_code'] } },
        },
        analytics: {
          schedule: '*/5 * * * *',
          products: { content_delivery: { by: ['product'], metrics: ['requests', 'waf'] } },
        },
      },
    },
  });
  const { clock, sandbox, state } = simulation;
  const ends = clock.now() + DAYS * 24 * 60 * MINUTE;
  const t0 = clock.now();
  const watch = new CounterWatch();
  const story = new Story(WEEK, clock.now());
  while (clock.now() < ends) {
    appendFileSync("/tmp/chaos.log", `${((clock.now() - t0) / 3.6e6).toFixed(2)} ${Math.round(performance.now())} cpu ${Math.round(process.cpuUsage().user/1000)} req ${sandbox.requests.total} ${JSON.stringify(Object.fromEntries(sandbox.requests.byStatus))} ${watch.series} ${watch.decreases.length}\n`);
    await story.go(simulation);
    await simulation.minutes(10);
    if (simulation.isRunning()) watch.see(await simulation.scrape());
  }
  const audit = auditBooks(state, sandbox);
  appendFileSync("/tmp/chaos.log", JSON.stringify(audit)+"\n");
  expect(audit.wrong).toEqual([]);
  expect(watch.decreases).toEqual([]);
  expect(audit.series).toBeGreaterThan(300);
  expect(audit.buckets).toBeGreaterThan(1_000_000);
  // Nobody is left behind: the youngest settled bucket was counted by the last poll.
  expect(audit.oldestMark).toBeGreaterThan(0);
  await simulation.close();
}, 580_000);
