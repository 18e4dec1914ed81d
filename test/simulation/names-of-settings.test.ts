import { expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';
import { auditCounters } from './true-counters.ts';

const REST_CLOSED = ['/metrics/products/*', '/analytics/*'];

let simulation: Simulation | undefined;

async function graphqlAlone(settings: 'answered' | 'forbidden' | 'server_error', account = {}) {
  const failing = settings === 'answered' ? {} : { [settings]: { paths: ['/edge_applications'] } };
  simulation = await simulate({
    sandbox: { configurations: 2, faults: { not_found: { paths: REST_CLOSED }, ...failing } },
    account: {
      collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } },
      ...account,
    },
  });
  return simulation;
}

async function shown({ scrape }: Simulation) {
  const found: { family: string; id: string; name: string; value: number }[] = [];
  for (const [key, value] of (await scrape()).samples) {
    const [family, labels] = JSON.parse(key) as [string, [string, string][]];
    const { configuration_id: id, configuration: name } = Object.fromEntries(labels);
    if (id !== undefined && name !== undefined) found.push({ family, id, name, value });
  }
  const names = [...new Set(found.map(({ id, name }) => `${id} ${name}`))].sort();
  const inspected = found.filter(({ family }) => family === 'edge_waf_requests_total');
  return { names, inspected: new Map(inspected.map(({ id, value }) => [id, value])) };
}

const namesIn = ({ sandbox }: Simulation) =>
  [...sandbox.account.applications].map(({ id, name }) => `${id} ${name}`).sort();
const idsIn = ({ sandbox }: Simulation) =>
  [...sandbox.account.applications].map(({ id }) => `${id} ${id}`).sort();

it('what GraphQL finds has the names of the settings, and a new name goes on with the counters of the old one', async () => {
  const running = await graphqlAlone('answered');
  await running.minutes(25);
  const before = await shown(running);
  expect(before.names).toEqual(namesIn(running));
  const [application] = running.sandbox.account.applications;
  running.sandbox.account.applications.update(application?.id ?? 0, { name: 'renamed' });
  const counted: number[] = [];
  for (let minute = 0; minute < 70; minute += 1) {
    await running.minutes(1);
    const { names, inspected } = await shown(running);
    // Each setting has only one name at a time.
    expect(new Set(names.map((name) => name.split(' ')[0])).size).toBe(names.length);
    counted.push(inspected.get(String(application?.id)) ?? Number.NaN);
  }
  expect((await shown(running)).names).toEqual(namesIn(running));
  const seen = counted.filter((value) => !Number.isNaN(value));
  expect(seen.length).toBeGreaterThan(20);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen[0]).toBeGreaterThanOrEqual(before.inspected.get(String(application?.id)) ?? Number.NaN);
  expect(auditCounters(running.state, running.sandbox).wrong).toEqual([]);
});

it('selects what GraphQL finds by its name', async () => {
  const [chosen = ''] = namesIn(await graphqlAlone('answered'));
  const [, name = ''] = chosen.split(' ');
  await simulation?.reload([], {
    collectors: {
      metrics: { products: { edge_applications: { metrics: ['waf'], configurations: { include: [name] } } } },
    },
  });
  await simulation?.minutes(25);
  const { inspected } = await shown(simulation as Simulation);
  expect([...inspected.keys()]).toEqual([chosen.split(' ')[0]]);
});

it('waits some minutes for names that cannot be read at the start, rather than begin with other series', async () => {
  const running = await graphqlAlone('server_error');
  await running.minutes(2);
  expect((await shown(running)).names).toEqual([]);
  running.sandbox.faults.patch({ server_error: null });
  await running.minutes(20);
  expect((await shown(running)).names).toEqual(namesIn(running));
  // Known names survive such a failure.
  running.sandbox.faults.patch({ server_error: { paths: ['/edge_applications'] } });
  await running.minutes(80);
  expect((await shown(running)).names).toEqual(namesIn(running));
  await running.restart();
  await running.minutes(25);
  expect((await shown(running)).names).toEqual(namesIn(running));
  expect(running.log.filter(({ message }) => message.includes('ids stand for names'))).toEqual([]);
});

it('does without names where they stay out of reach, and goes on counting once they are known', async () => {
  const running = await graphqlAlone('server_error');
  await running.minutes(25);
  const before = await shown(running);
  expect(before.names).toEqual(idsIn(running));
  expect(running.log).toContainEqual({
    level: 'warn',
    message: expect.stringMatching(
      /^names of configurations \(\/edge_applications\): .*: ids stand for names$/,
    ),
    facts: { account: 'test', job: 'discovery/metrics/edge_applications' },
  });
  running.sandbox.faults.patch({ server_error: null });
  await running.minutes(15);
  const after = await shown(running);
  expect(after.names).toEqual(namesIn(running));
  for (const [id, value] of before.inspected) expect(after.inspected.get(id)).toBeGreaterThan(value);
  expect(auditCounters(running.state, running.sandbox).wrong).toEqual([]);
});

it('does without names at once where the token may not read them', async () => {
  const running = await graphqlAlone('forbidden');
  await running.minutes(2);
  expect((await shown(running)).names).toEqual(idsIn(running));
});
