import { afterEach, expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

afterEach(async () => {
  await simulation?.close();
  simulation = undefined;
});

const APPLICATIONS = 50;
const WITHOUT_DOMAINS = 20;

/** Whether the first applications have no domains, or are not there at all. */
async function begin(withEmpty: boolean): Promise<Simulation> {
  const running = await simulate({
    sandbox: {
      configurations: APPLICATIONS,
      domainsPerConfiguration: 1,
      metricsIds: 'domain',
      rateLimit: { reads: 200, writes: 20, purges: 20 },
    },
    account: {
      reconciliation_share: 0,
      discovery: '*/2 * * * *',
      collectors: {
        metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } },
      },
    },
  });
  simulation = running;
  const { account } = running.sandbox;
  const empty = [...account.applications].slice(0, WITHOUT_DOMAINS).map(({ id }) => id);
  for (const domain of [...account.domains])
    if (empty.includes(domain.edge_application_id)) account.domains.remove(domain.id);
  if (!withEmpty) for (const id of empty) account.applications.remove(id);
  await running.minutes(6);
  return running;
}

/** Operations per minute, and the share of them that is answered 404, over ten minutes. */
async function tenMinutes({ minutes, sandbox: { requests } }: Simulation) {
  const before = { total: requests.total, notFound: requests.byStatus.get(404) ?? 0 };
  await minutes(10);
  const total = requests.total - before.total;
  return { perMinute: total / 10, notFound: ((requests.byStatus.get(404) ?? 0) - before.notFound) / total };
}

it('applications without domains cost nothing: hardly a 404, and as many operations as without them', async () => {
  const running = await begin(true);
  const { perMinute, notFound } = await tenMinutes(running);
  expect(notFound).toBeLessThan(0.01);
  expect(running.sandbox.requests.byStatus.get(429)).toBeUndefined();
  await running.close();
  const without = await tenMinutes(await begin(false));
  expect(Math.abs(perMinute - without.perMinute)).toBeLessThan(0.02 * without.perMinute);
});
