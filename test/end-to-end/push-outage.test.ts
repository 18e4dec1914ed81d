import { expect, it, onTestFinished } from 'vitest';
import { fraction, keyOf } from '../../src/sandbox/hash.ts';
import { type Simulation, type SimulationOptions, simulate } from '../simulation/simulation.ts';
import { compareSamples, expectedSamples, namesById } from './expected-samples.ts';
import { PUSH_RECEIVERS } from './push-receivers.ts';
import { startTroubledProxy, type Trouble } from './troubled-proxy.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Account whose buckets are final when they are exposed, so that gauges can be compared with the true values.
 */
const ACCOUNT: SimulationOptions['account'] = {
  publish_delay: '11m',
  settle_delay: '11m',
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
};

const SANDBOX = { configurations: 2, domainsPerConfiguration: 1 };

const TROUBLES: readonly Trouble[] = [
  'none',
  'none',
  'answers 500',
  'answers 429',
  'answers 400',
  'cuts the answer',
  'cuts the request',
];

async function agesOver(simulation: Simulation, minutes: number): Promise<number[]> {
  const ages: number[] = [];
  for (let minute = 0; minute < minutes; minute += 5) {
    await simulation.minutes(5);
    const { samples } = await simulation.scrape();
    for (const [key, value] of samples) {
      if (JSON.parse(key)[0] === 'edge_data_until_timestamp_seconds') {
        ages.push(simulation.clock.wall() / 1_000 - value);
      }
    }
  }
  return ages;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function troubledReceivers() {
  const started = Object.entries(PUSH_RECEIVERS).map(async ([name, start]) => {
    const receiver = await start();
    onTestFinished(() => receiver.stop());
    const { origin, pathname } = new URL(receiver.url);
    const proxy = await startTroubledProxy(origin);
    onTestFinished(() => proxy.stop());
    return { name, kind: receiver.kind, url: proxy.url + pathname, proxy, stored: receiver.stored };
  });
  return Promise.all(started);
}

it('receivers have every bucket after three hours away and an hour of troubles, and no poll has waited for them', async () => {
  const start = Math.floor((Date.now() - 5.5 * HOUR) / HOUR) * HOUR;
  const receivers = await troubledReceivers();
  const simulation = await simulate({
    start,
    sandbox: SANDBOX,
    account: ACCOUNT,
    push: receivers.map(({ name, kind, url }) => ({ name, kind, url, request: { timeout: '1s' } })),
  });
  const from = (trouble: () => Trouble) => {
    for (const { proxy } of receivers) proxy.trouble = trouble;
  };
  const waiting = () =>
    simulation
      .exporter()
      .receivers()
      .map(({ samples }) => samples);

  const ages = await agesOver(simulation, 30);
  // A request that hangs takes a second of real time, so only three do.
  let hangs = 3;
  from(() => (hangs-- > 0 ? 'hangs' : 'cuts the request'));
  ages.push(...(await agesOver(simulation, 180)));
  for (const samples of waiting()) expect(samples).toBeGreaterThan(3_000);
  let drawn = 0;
  from(() => TROUBLES[Math.floor(TROUBLES.length * fraction(keyOf(1, 'trouble'), drawn++))] ?? 'none');
  ages.push(...(await agesOver(simulation, 60)));
  from(() => 'none');
  ages.push(...(await agesOver(simulation, 30)));
  await simulation.minutes(0.5);
  expect(new Set(waiting())).toEqual(new Set([0]));

  const expected = expectedSamples(simulation, await namesById(simulation), start);
  for (const { name, stored } of receivers) {
    const { samples, ...difference } = compareSamples(await stored(), expected);
    expect(difference, name).toEqual({ missing: [], doubled: [], wrong: [] });
    expect(samples).toBeGreaterThan(2 * 5 * 280 * simulation.sandbox.account.domains.size);
  }
  const alone = await simulate({ start, sandbox: SANDBOX, account: ACCOUNT });
  onTestFinished(() => alone.close());
  expect(Math.abs(mean(ages) / mean(await agesOver(alone, 300)) - 1)).toBeLessThan(0.02);
});
