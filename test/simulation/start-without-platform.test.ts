import { expect, it } from 'vitest';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const UNREADY =
  'account test: the platform has not answered yet: the platform cannot be reached: connection reset';

async function startWithoutPlatform(): Promise<Simulation> {
  simulation = await simulate({
    sandbox: { faults: { connection_reset: {} } },
    account: { collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } } },
  });
  return simulation;
}

it('is not ready before the platform has answered, and stays ready when it no longer does', async () => {
  const { exporter, sandbox, minutes } = await startWithoutPlatform();
  expect([...exporter().notReady()].flat()).toEqual([UNREADY]);
  await minutes(11);
  expect([...exporter().notReady()].flat()).toEqual([UNREADY]);
  sandbox.faults.clear();
  await minutes(11);
  expect([...exporter().notReady()].flat()).toEqual([]);
  sandbox.faults.set({ connection_reset: {} });
  await minutes(11);
  expect(exporter().accounts()).toMatchObject([
    { up: false, note: 'the platform cannot be reached: connection reset' },
  ]);
  expect([...exporter().notReady()].flat()).toEqual([]);
});

it('is not ready by a failure, and says which', async () => {
  const { exporter, sandbox, minutes } = await startWithoutPlatform();
  sandbox.faults.set({ server_error: { status: 503 } });
  await minutes(11);
  expect(exporter().accounts()).toMatchObject([{ up: false, note: 'the platform answers 503' }]);
  expect([...exporter().notReady()].flat()).toEqual([
    expect.stringMatching(/^account test: nothing was read yet: the platform answers 503 \(since /),
  ]);
});

it('shows the platform within two minutes of its return, however seldom it looks for configurations', async () => {
  const { sandbox, scrape, minutes } = await startWithoutPlatform();
  await minutes(1);
  sandbox.faults.clear();
  await minutes(2);
  const { samples } = await scrape();
  expect([...samples.keys()].filter((key) => key.includes('edge_requests_per_minute'))).toHaveLength(6);
});
