import { expect, it, onTestFinished } from 'vitest';
import { inLongSuite } from '../long-suite.ts';
import { type SimulationOptions, simulate } from '../simulation/simulation.ts';
import { compareSamples, type Difference, expectedSamples, namesById } from './expected-samples.ts';
import { PUSH_RECEIVERS, type PushReceiver } from './push-receivers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HOURS = inLongSuite(6, 2);

/**
 * Account whose buckets are final when they are exposed, so that gauges can be compared with the true values.
 */
const ACCOUNT: SimulationOptions['account'] = {
  publish_delay: '11m',
  settle_delay: '11m',
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code'] } } } },
};

/** Returns the start of an hour in the past, because receivers do not accept future samples. */
function startBefore(hours: number): number {
  return Math.floor((Date.now() - hours * HOUR) / HOUR) * HOUR;
}

async function startReceivers(): Promise<Map<string, PushReceiver>> {
  const started = Object.entries(PUSH_RECEIVERS).map(async ([name, start]) => {
    const receiver = await start();
    onTestFinished(() => receiver.stop());
    return [name, receiver] as const;
  });
  return new Map(await Promise.all(started));
}

function summaryOf({ missing, doubled, wrong }: Difference) {
  const first = [...missing, ...doubled, ...wrong].slice(0, 3);
  return { missing: missing.length, doubled: doubled.length, wrong: wrong.length, first };
}

it(`pushes every settled bucket to each receiver at its own time with exactly the value of the platform, over ${HOURS} hours`, async () => {
  const receivers = await startReceivers();
  const start = startBefore(HOURS + 0.5);
  const simulation = await simulate({
    start,
    sandbox: { configurations: 3, domainsPerConfiguration: 1 },
    account: ACCOUNT,
    // The request timeout is real time. It is long, so that a receiver on a busy machine is not reported.
    push: [...receivers].map(([name, { kind, url }]) => ({ name, kind, url, request: { timeout: '5m' } })),
  });
  await simulation.minutes(HOURS * 60 + 15.5);
  const expected = expectedSamples(simulation, await namesById(simulation), start);
  for (const [name, receiver] of receivers) {
    const found = compareSamples(await receiver.stored(), expected);
    expect(summaryOf(found), name).toEqual({ missing: 0, doubled: 0, wrong: 0, first: [] });
    expect(found.samples).toBeGreaterThan(2 * 2 * 21 * 60 * HOURS);
  }
  expect(simulation.log.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(
    simulation
      .exporter()
      .receivers()
      .map(({ name, protocol }) => [name, protocol]),
  ).toEqual([
    ['Prometheus 2', 'remote_write 1.0'],
    ['Prometheus 3', 'remote_write 2.0'],
    ['VictoriaMetrics', 'remote_write 1.0'],
    ['VictoriaMetrics by OTLP', 'otlp'],
  ]);
});
