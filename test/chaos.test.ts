import { expect, it } from 'vitest';
import { WEEK } from './chaos-script.ts';
import { CounterWatch } from './counter-watch.ts';
import { simulate } from './simulation.ts';
import { auditBooks } from './true-books.ts';

const MINUTE = 60_000;
const STEP_MINUTES = 10;

/**
 * What cannot be survived by construction, and is therefore not among the faults: a value that is plausible but wrong in
 * a settled bucket (nothing tells it from a right one), and a bucket that changes after the settle delay, which is
 * counted as it was and reported as a late restatement.
 */
it('loses no bucket and counts none twice in a week of faults, outages, restarts and wrong clocks', async () => {
  const simulation = await simulate({
    skew: 7 * MINUTE,
    sandbox: {
      configurations: 18,
      domainsPerConfiguration: 1,
      rateLimit: { reads: 2_000, writes: 20, purges: 20 },
    },
    account: {
      request: { timeout: '1s' },
      collectors: {
        metrics: {
          schedule: `*/${STEP_MINUTES} * * * *`,
          products: { edge_applications: { metrics: ['status_code', 'waf'] } },
        },
      },
    },
  });
  const { clock, sandbox, state } = simulation;
  const began = clock.now();
  const watch = new CounterWatch();
  const turns = [...WEEK];
  let stopped = false;
  for (let minute = 0; minute < 7 * 24 * 60; minute += STEP_MINUTES) {
    while (turns[0] !== undefined && turns[0].hour * 60 <= minute) {
      await turns.shift()?.happens(simulation);
    }
    await simulation.minutes(STEP_MINUTES);
    stopped = isStopped(simulation);
    if (!stopped) watch.see(await simulation.scrape());
  }
  const audit = auditBooks(state, sandbox);
  const statuses = Object.fromEntries([...sandbox.requests.byStatus].sort(([a], [b]) => a - b));
  console.info(
    `${audit.buckets} buckets of ${audit.series} series checked, ${sandbox.requests.total} requests`,
    statuses,
    `${watch.scrapes} scrapes of ${watch.series} counters`,
  );
  expect(audit.wrong).toEqual([]);
  expect(watch.decreases).toEqual([]);
  expect(audit.series).toBeGreaterThan(400);
  expect(audit.buckets).toBeGreaterThan(1_000_000);
  expect(clock.now() - began).toBe(7 * 24 * 60 * MINUTE);
  await simulation.close();
}, 240_000);

function isStopped(simulation: { exporter(): unknown }): boolean {
  try {
    simulation.exporter();
    return false;
  } catch {
    return true;
  }
}
