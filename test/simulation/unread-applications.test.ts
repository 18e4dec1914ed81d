import { expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

const APPLICATIONS = 20;
const WITHOUT_DOMAINS = 8;

/** Whether the first applications have no domains, or are not there at all. */
async function begin(withEmpty: boolean): Promise<Simulation> {
  const running = await simulate({
    sandbox: {
      configurations: APPLICATIONS,
      domainsPerConfiguration: 1,
      metricsIds: 'domain',
      rateLimit: { reads: 80, writes: 20, purges: 20 },
    },
    account: {
      reconciliation_share: 0,
      discovery: '*/2 * * * *',
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } },
      },
    },
  });
  const { account } = running.sandbox;
  const empty = [...account.applications].slice(0, WITHOUT_DOMAINS).map(({ id }) => id);
  for (const domain of [...account.domains])
    if (empty.includes(domain.edge_application_id)) account.domains.remove(domain.id);
  if (!withEmpty) for (const id of empty) account.applications.remove(id);
  await running.minutes(6);
  return running;
}

/** Over ten minutes: operations per minute, the share of them that is answered 404, and how old the data is (s). */
async function tenMinutes({ minutes, scrape, clock, sandbox: { requests } }: Simulation) {
  const before = { total: requests.total, notFound: requests.byStatus.get(404) ?? 0 };
  const ages: number[] = [];
  for (let minute = 0; minute < 10; minute += 1) {
    await minutes(1);
    for (const [key, until] of (await scrape()).samples)
      if (key.startsWith('["edge_data_until_timestamp_seconds"')) ages.push(clock.now() / 1_000 - until);
  }
  const total = requests.total - before.total;
  return {
    perMinute: total / 10,
    notFound: ((requests.byStatus.get(404) ?? 0) - before.notFound) / total,
    shown: ages.length,
    meanAge: ages.reduce((sum, age) => sum + age, 0) / ages.length,
    oldest: Math.max(...ages),
  };
}

it('applications without domains cost nothing: hardly a 404, as many operations and as fresh data as without them', async () => {
  const running = await begin(true);
  const { perMinute, notFound, ...data } = await tenMinutes(running);
  expect(notFound).toBeLessThan(0.01);
  expect(running.sandbox.requests.byStatus.get(429)).toBeUndefined();
  await running.close();
  const without = await tenMinutes(await begin(false));
  expect(Math.abs(perMinute - without.perMinute)).toBeLessThan(0.02 * without.perMinute);
  // Of two metrics each.
  expect([data.shown, without.shown]).toEqual(Array(2).fill(10 * 2 * (APPLICATIONS - WITHOUT_DOMAINS)));
  expect(data.meanAge).toBeLessThanOrEqual(1.02 * without.meanAge);
  expect(data.oldest).toBeLessThanOrEqual(without.oldest + 1);
});
