import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { inLongSuite } from '../long-suite.ts';
import { type Simulation, simulate } from './simulation.ts';

/**
 * Size of the account. In the long suite, it has 3,000 domains in 30 applications, 500 functions, and 200
 * zones with 20,000 records. The exporter may use 160 of 200 operations per minute.
 */
const LARGE = inLongSuite(
  { configurations: 30, domainsPerConfiguration: 100, functions: 500, zones: 200, recordsPerZone: 100 },
  { configurations: 10, domainsPerConfiguration: 100, functions: 200, zones: 70, recordsPerZone: 100 },
);

const SHARED = inLongSuite<SandboxOptions>(LARGE, {
  configurations: 5,
  domainsPerConfiguration: 25,
  functions: 50,
  zones: 17,
  recordsPerZone: 100,
  rateLimit: { reads: 50, writes: 20, purges: 20 },
});

const SETTINGS = Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}]));

function traffic(...metrics: string[]) {
  return { metrics: { products: { edge_applications: { configurations: { include: ['shop'] }, metrics } } } };
}

let simulation: Simulation | undefined;

async function begin(
  collectors: Record<string, unknown>,
  sandbox: SandboxOptions = LARGE,
): Promise<Simulation> {
  await simulation?.close();
  simulation = await simulate({ sandbox, account: { collectors, publish_delay: '2m' } });
  return simulation;
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

function megabytesInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

async function count(running: Simulation, family: string): Promise<number> {
  const { samples } = await running.scrape();
  return [...samples.keys()].filter((key) => key.startsWith(`["${family}"`)).length;
}

/** Returns the mean age (s) of the buckets in gauges, measured from their start. */
async function meanAge(running: Simulation, minutes: number): Promise<number> {
  const ages: number[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    await running.minutes(1);
    for (const [key, value] of (await running.scrape()).samples) {
      if (key.startsWith('["edge_data_until')) ages.push(running.clock.now() / 1_000 - value + 60);
    }
  }
  return ages.reduce((sum, age) => sum + age, 0) / ages.length;
}

it('reads a large account whole within an hour, with few operations and little memory', async () => {
  const idle = await begin({ domains: { enabled: false } });
  await idle.minutes(1);
  const before = megabytesInUse();
  const running = await begin(SETTINGS);
  let minutes = 0;
  const startedAt = performance.now();
  while ((await count(running, 'edge_zone_soa_ttl_seconds')) < LARGE.zones && minutes < 120) {
    await running.minutes(1);
    minutes += 1;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const operations = running.sandbox.requests.total;
  const used = megabytesInUse() - before;
  const { samples } = await running.scrape();
  const figures = { minutes, operations, series: samples.size, megabytes: Math.round(used), seconds };
  tell(`whole read of a large account: ${JSON.stringify(figures)}`);
  expect(await count(running, 'edge_domain_info')).toBe(100 * LARGE.configurations);
  expect(await count(running, 'edge_function_info')).toBe(LARGE.functions);
  expect(await count(running, 'edge_application_module_enabled')).toBe(LARGE.configurations * 6);
  expect(await count(running, 'edge_zone_records')).toBe(LARGE.zones * 2);
  expect(await count(running, 'edge_error_response_cache_seconds')).toBe(LARGE.configurations * 7);
  expect(minutes).toBeLessThanOrEqual(60);
  // Reads of a night: 30 + 5 + 2 pages, 30 applications, 400 zones, and the lists again every ten minutes.
  expect(operations).toBeLessThan(inLongSuite(1_000, 350));
  expect(used).toBeLessThan(100);
  expect(running.sandbox.requests.byStatus.get(429)).toBeUndefined();
});

it.each([
  ['has room', ['waf']],
  ['is used up by traffic', ['waf', 'status_code']],
])('settings make traffic at most 3 % older if the quota %s', async (_, metrics) => {
  const ages: number[] = [];
  for (const collectors of [traffic(...metrics), { ...traffic(...metrics), ...SETTINGS }]) {
    const running = await begin(collectors, SHARED);
    await running.minutes(5);
    ages.push(await meanAge(running, inLongSuite(20, 10)));
  }
  const [without = 0, alongside = 0] = ages;
  const jobs = simulation?.exporter().accounts()[0]?.jobs ?? [];
  const settings = jobs.slice().filter(({ collector }) => collector in COLLECTORS);
  expect(settings).toHaveLength(Object.keys(COLLECTORS).length);
  expect(settings.filter(({ last_outcome }) => last_outcome !== 'ok').map(({ id }) => id)).toEqual([]);
  tell(
    `mean age of ${metrics.join(' and ')}: ${without.toFixed(1)} s, with all settings ${alongside.toFixed(1)} s`,
  );
  expect(alongside / without).toBeLessThan(1.03);
});
