import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { PlatformFailure } from '../../src/exporter/platform/read.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { listOf, settingsBench } from '../exporter/settings/bench.ts';
import { type Simulation, simulate } from './simulation.ts';

const FORBIDDEN = new PlatformFailure('forbidden', 'You do not have permission', 403);
const HOUR = 3_600_000;

it('says which permission is missing, and asks again only an hour later', async () => {
  const bench = settingsBench('domains', { '/domains': FORBIDDEN });
  const reason = /needs the permission View Domains.*You do not have permission/;
  for (let minute = 0; minute < 60; minute += 10) {
    await expect(bench.poll()).rejects.toMatchObject({ outcome: 'forbidden', message: reason });
    bench.now += HOUR / 6;
  }
  expect(bench.asked).toHaveLength(1);
  expect(bench.job.cost()).toBe(0);
  bench.answers = { '/domains': listOf({ id: 1 }) };
  expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
  expect(bench.job.cost()).toBe(1);
});

it('stops asking as well when only the single items are refused', async () => {
  const bench = settingsBench('network_lists', {
    '/network_lists': listOf({ id: 3, name: 'seen' }, { id: 4 }),
    '/network_lists/2': FORBIDDEN,
  });
  for (let read = 0; read < 3; read += 1)
    await expect(bench.poll()).rejects.toMatchObject({ outcome: 'forbidden' });
  expect(bench.asked.map(({ path }) => path)).toEqual(['/network_lists', '/network_lists/2']);
  expect(bench.value('edge_network_list_info', { network_list_id: 3 })).toBe(1);
});

it('a token without any permission but analytics costs one operation an hour per collector, and one line of the log', async () => {
  const settings = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));
  const simulation = await simulate({
    sandbox: { tokens: [{ ...DEFAULT_TOKEN, permissions: ['Analytics'] }] },
    account: { collectors: settings },
  });
  try {
    await simulation.minutes(3 * 60);
    const lines = simulation.log.filter(({ message }) => message === 'poll failed');
    // The list of legacy rule sets needs no documented permission.
    const refused = Object.keys(COLLECTORS).filter((name) => name !== 'firewall_rulesets');
    expect(lines.map(({ facts }) => (facts as { job: string }).job).sort()).toEqual(refused.sort());
    expect(JSON.stringify(lines)).toContain('needs the permission View Intelligent DNS');
    const { byStatus } = simulation.sandbox.requests;
    expect(byStatus.get(403)).toBeGreaterThanOrEqual(3 * refused.length);
    expect(byStatus.get(403)).toBeLessThanOrEqual(4 * refused.length);
    const jobs = simulation.exporter().accounts()[0]?.jobs ?? [];
    for (const { id, last_outcome } of jobs.slice().filter(({ id }) => refused.includes(id)))
      expect([id, last_outcome]).toEqual([id, 'forbidden']);
  } finally {
    await simulation.close();
  }
});

it('a restart asks nothing again that was refused less than an hour before', async () => {
  const state = memoryState();
  const simulation = await simulate({
    // The platform uses ids of domains although ids of configurations are configured, and the token may not
    // read settings.
    sandbox: {
      configurations: 2,
      metricsIds: 'domain',
      tokens: [{ ...DEFAULT_TOKEN, permissions: ['Analytics'] }],
    },
    state: { ...state, close: async () => undefined },
    account: {
      // With the source `auto`, the exporter would switch to GraphQL and retry REST from time to time.
      source: 'rest',
      reconciliation_share: 0,
      collectors: {
        domains: {},
        metrics: {
          products: { edge_applications: { metrics: ['cdn_requests'], address_by: 'configuration' } },
        },
      },
    },
  });
  try {
    const refused = () => {
      const { byStatus } = simulation.sandbox.requests;
      return { forbidden: byStatus.get(403) ?? 0, notFound: byStatus.get(404) ?? 0 };
    };
    await simulation.minutes(35);
    const before = refused();
    expect(before.forbidden).toBeGreaterThan(0);
    expect(before.notFound).toBeGreaterThan(0);
    for (let restart = 0; restart < 4; restart += 1) {
      await simulation.restart();
      await simulation.minutes(2);
    }
    expect(refused()).toEqual(before);
    await simulation.minutes(60);
    expect(refused().forbidden).toBe(before.forbidden + 1);
  } finally {
    await simulation.close();
  }
});

it('what was read before an outage of 404 or 403 is read again within minutes of its end', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 1 },
    account: {
      source: 'rest',
      collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
    },
  });
  const isShown = async () =>
    [...(await simulation.scrape()).samples.keys()].some((key) => key.includes('edge_requests_per_minute'));
  const { faults } = simulation.sandbox;
  await simulation.minutes(40);
  expect(await isShown()).toBe(true);
  const paths = ['/metrics/products/*/metrics/*'];
  for (const outage of [{ not_found: { paths } }, { forbidden: { paths } }]) {
    faults.set(outage);
    await simulation.minutes(70);
    expect(await isShown()).toBe(false);
    faults.clear();
    await simulation.minutes(9);
    expect(await isShown()).toBe(true);
  }
  // A resource that is missing for hours costs as little as one that never existed: one read per hour for
  // each of two domains.
  faults.set({ forbidden: { paths } });
  await simulation.minutes(8 * 60);
  const refused = () => simulation.sandbox.requests.byStatus.get(403) ?? 0;
  const before = refused();
  await simulation.minutes(4 * 60);
  expect(refused() - before).toBeLessThanOrEqual(2 * 5);
});

const POOR = { ...DEFAULT_TOKEN, token: 'poor', permissions: [] };
const ALSO_POOR = { ...POOR, token: 'also-poor' };
const RICH = { ...DEFAULT_TOKEN, token: 'rich' };

async function refusedByFile() {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, other] = [join(folder, 'token'), join(folder, 'other')];
  await writeFile(file, POOR.token);
  await writeFile(other, RICH.token);
  const state = memoryState();
  const simulation = await simulate({
    sandbox: { configurations: 1, tokens: [POOR, ALSO_POOR, RICH] },
    state: { ...state, close: async () => undefined },
    account: { token_file: file, source: 'rest', discovery: '0 0 * * *', collectors: COLLECTED },
  });
  return { simulation, other, write: (token: string) => writeFile(file, token) };
}

const COLLECTED = {
  domains: { schedule: '* * * * *' },
  analytics: { products: { content_delivery: { by: ['product'], metrics: ['requests'] } } },
};

async function shownOf(simulation: Simulation) {
  const families = [...(await simulation.scrape()).samples.keys()].map((key) => JSON.parse(key)[0]);
  return ['edge_domain_info', 'edge_product_requests_per_minute'].filter((name) => families.includes(name));
}

const ALL = ['edge_domain_info', 'edge_product_requests_per_minute'];

it.each<[string, (bed: Awaited<ReturnType<typeof refusedByFile>>) => Promise<void>]>([
  ['in its file', ({ write }) => write(RICH.token)],
  [
    'in its file while nothing runs',
    async ({ simulation, write }) => {
      await simulation.stop();
      await write(RICH.token);
      await simulation.start();
    },
  ],
  ['that a reload brings', ({ simulation, other }) => simulation.reload([], { token_file: other })],
])('what was refused to one token is asked with another, %s, within two minutes', async (_, replace) => {
  const bed = await refusedByFile();
  const { simulation } = bed;
  await simulation.minutes(5);
  expect(await shownOf(simulation)).toEqual([]);
  await replace(bed);
  await simulation.minutes(2.5);
  expect(await shownOf(simulation)).toEqual(ALL);
});

it('what is refused to another token as well is asked with it once, and not again before an hour has passed', async () => {
  const { simulation, write } = await refusedByFile();
  const refused = () => simulation.sandbox.requests.byStatus.get(403) ?? 0;
  await simulation.minutes(10);
  const before = refused();
  await write(ALSO_POOR.token);
  await simulation.minutes(50);
  expect(refused() - before).toBe(2);
});

it('a restart asks nothing again that was refused to the token of a file, which is read with the first poll', async () => {
  const { simulation } = await refusedByFile();
  const refused = () => simulation.sandbox.requests.byStatus.get(403) ?? 0;
  await simulation.minutes(5);
  const before = refused();
  for (let restart = 0; restart < 4; restart += 1) {
    await simulation.restart();
    await simulation.minutes(2);
  }
  expect(refused()).toBe(before);
});
