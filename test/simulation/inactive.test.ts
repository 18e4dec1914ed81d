import { describe, expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

async function begin(collectors: Record<string, unknown>): Promise<Simulation> {
  simulation = await simulate({
    sandbox: { configurations: 3, domainsPerConfiguration: 1 },
    account: { reconciliation_share: 0, discovery: '*/2 * * * *', collectors },
  });
  const { account } = simulation.sandbox;
  account.applications.update(applicationOf(simulation).id, { active: false });
  await simulation.minutes(20);
  return simulation;
}

function applicationOf({ sandbox }: Simulation) {
  const [application] = sandbox.account.applications;
  if (application === undefined) throw new Error('there are applications');
  return application;
}

async function configurationsOf({ scrape }: Simulation, family: string): Promise<string[]> {
  const { samples } = await scrape();
  const labels = [...samples.keys()].map((key) => JSON.parse(key) as [string, [string, string][]]);
  const names = labels.flatMap(([name, pairs]) =>
    name === family ? pairs.flatMap(([label, value]) => (label === 'configuration' ? [value] : [])) : [],
  );
  return [...new Set(names)].sort();
}

const reading = (include: readonly string[]) => ({
  analytics: {
    products: { content_delivery: { metrics: ['requests'], configurations: { include: [...include] } } },
  },
});

describe('an inactive configuration', () => {
  it('shows its error responses, and without its name in include no traffic', async () => {
    const running = await begin({ ...reading(['*']), error_responses: {} });
    expect(await configurationsOf(running, 'edge_error_response_cache_seconds')).toHaveLength(3);
    expect(await configurationsOf(running, 'edge_requests_total')).not.toContain(applicationOf(running).name);
  });

  it.each([
    ['its name', 'shop', true],
    ['a pattern', 'sho*', false],
  ])('is read where include has %s: %s', async (_, include, isRead) => {
    const running = await begin(reading([include, 'news']));
    expect(applicationOf(running).name).toBe('shop');
    expect(await configurationsOf(running, 'edge_requests_total')).toEqual(
      isRead ? ['news', 'shop'] : ['news'],
    );
  });
});

it('all of them inactive at once are doubted as a list that is empty, and told once that is believed', async () => {
  const running = await begin(reading(['*']));
  const { account } = running.sandbox;
  for (const { id } of [...account.applications]) account.applications.update(id, { active: false });
  await running.minutes(3);
  expect(await configurationsOf(running, 'edge_requests_total')).toHaveLength(2);
  await running.minutes(4);
  expect(await configurationsOf(running, 'edge_requests_total')).toEqual([]);
  const { samples } = await running.scrape();
  const counts = [...samples].filter(([key]) => key.startsWith('["edge_configurations"'));
  expect(counts.map(([, value]) => value)).toEqual([0]);
});
