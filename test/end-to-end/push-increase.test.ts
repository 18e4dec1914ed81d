import { expect, it, onTestFinished } from 'vitest';
import { productOf } from '../../src/exporter/catalogue/products.ts';
import type { PushedSample } from '../../src/exporter/push/protocol.ts';
import { writeSamples } from '../exporter/push/write-samples.ts';
import { type Simulation, simulate } from '../simulation/simulation.ts';
import { PUSH_RECEIVERS, type PushReceiver } from './push-receivers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COUNTER = 'edge_requests_total';
const GAUGE = 'edge_requests_per_minute';

async function scrapeInto(receiver: PushReceiver, simulation: Simulation): Promise<void> {
  const at = simulation.clock.wall();
  const { samples } = await simulation.scrape();
  const scraped = [...samples].flatMap(([key, value]): PushedSample[] => {
    const [name, labels] = JSON.parse(key) as [string, [string, string][]];
    if (name !== COUNTER && name !== GAUGE) return [];
    const type = name === COUNTER ? 'counter' : 'gauge';
    return [
      {
        series: { family: { name, type }, labels: { ...Object.fromEntries(labels), job: 'edge' } },
        value,
        at,
        since: undefined,
      },
    ];
  });
  await writeSamples(receiver.url, scraped);
}

function totalsOf({ sandbox }: Simulation, end: number): Map<string, number> {
  const { api, id: product } = productOf('metrics', 'edge_applications');
  const totals = [...sandbox.account.domains].map(({ id }) => {
    const range = { from: end - HOUR, to: end, metric: 'cdn_requests', configuration: id };
    const { total = [] } = sandbox.truth({ api, product, ...range });
    return [String(id), total.reduce((sum, [, value]) => sum + value, 0)] as const;
  });
  return new Map(totals);
}

async function byConfiguration(
  receiver: PushReceiver,
  expression: string,
  at: number,
): Promise<Map<string, number>> {
  const found = [...(await receiver.query(expression, at))];
  return new Map(
    found.map(([key, value]) => [Object.fromEntries(JSON.parse(key)[1])['configuration_id'], value]),
  );
}

async function shareAtItsTime(
  receiver: PushReceiver,
  simulation: Simulation,
  job: string,
  hour: number,
): Promise<number> {
  const { api, id: product } = productOf('metrics', 'edge_applications');
  const stored = await receiver.stored();
  const [busiest] = [...totalsOf(simulation, hour)].sort(([, a], [, b]) => b - a).map(([id]) => id);
  let found = 0;
  let buckets = 0;
  for (const [key, samples] of stored) {
    const [name, list] = JSON.parse(key) as [string, [string, string][]];
    const labels = Object.fromEntries(list);
    if (name !== GAUGE || (labels['job'] ?? '') !== job || labels['configuration_id'] !== busiest) continue;
    const range = {
      from: hour - HOUR,
      to: hour,
      metric: 'cdn_requests',
      configuration: Number(labels['configuration_id']),
    };
    for (const [start, value] of simulation.sandbox.truth({ api, product, ...range })['total'] ?? []) {
      buckets += 1;
      if (samples.some(([at, shown]) => at > start && at <= start + MINUTE && shown === value)) found += 1;
    }
  }
  return found / buckets;
}

it('adds up to the total of the platform at a full hour, where what is scraped cannot', async () => {
  const { 'Prometheus 2': first, 'Prometheus 3': second, VictoriaMetrics } = PUSH_RECEIVERS;
  const started = Object.entries({ 'Prometheus 2': first, 'Prometheus 3': second, VictoriaMetrics }).map(
    async ([name, start]) => {
      const receiver = await start();
      onTestFinished(() => receiver.stop());
      return { name, receiver };
    },
  );
  const receivers = await Promise.all(started);
  const start = Math.floor((Date.now() - 3.5 * HOUR) / HOUR) * HOUR;
  const simulation = await simulate({
    start,
    sandbox: { configurations: 4, domainsPerConfiguration: 1 },
    account: {
      publish_delay: '11m',
      settle_delay: '11m',
      collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
    },
    push: receivers.map(({ name, receiver }) => ({ name, kind: 'remote_write', url: receiver.url })),
  });
  for (let minute = 0; minute < 135; minute++) {
    await simulation.minutes(1);
    await Promise.all(receivers.map(({ receiver }) => scrapeInto(receiver, simulation)));
  }
  const hour = start + 2 * HOUR;
  const truth = totalsOf(simulation, hour);
  expect(truth.size).toBeGreaterThan(3);
  const difference = `${COUNTER}{job=""} - ${COUNTER}{job=""} offset 1h`;
  const scraped = new Map<string, Map<string, number>>();
  for (const { name, receiver } of receivers) {
    expect(await byConfiguration(receiver, difference, hour), name).toEqual(truth);
    scraped.set(name, await byConfiguration(receiver, `increase(${COUNTER}{job="edge"}[1h])`, hour));
    expect(await shareAtItsTime(receiver, simulation, '', hour), name).toBe(1);
    expect(await shareAtItsTime(receiver, simulation, 'edge', hour), name).toBe(0);
  }
  const increase = (range: string) => `increase(${COUNTER}{job=""}[${range}])`;
  const [prometheus2, prometheus3, victoriaMetrics] = receivers.map(({ receiver }) => receiver);
  if (!prometheus2 || !prometheus3 || !victoriaMetrics) throw new Error('a receiver is missing');
  expect(await byConfiguration(prometheus2, increase('1h'), hour)).toEqual(truth);
  expect(await byConfiguration(victoriaMetrics, increase('1h'), hour)).toEqual(truth);
  // Ranges exclude their start. One more millisecond includes it, and extrapolates by a millisecond.
  for (const [id, value] of await byConfiguration(prometheus3, increase('1h1ms'), hour)) {
    expect(Math.abs(value - (truth.get(id) ?? 0))).toBeLessThanOrEqual(1e-6 * value);
  }
  for (const [name, increases] of scraped) {
    expect(new Set(increases.keys()), name).toEqual(new Set(truth.keys()));
    expect(increases, name).not.toEqual(truth);
  }
});
