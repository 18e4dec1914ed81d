import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { Connection, credentialsFrom } from '../../../src/exporter/account/connection.ts';
import type { Clock } from '../../../src/exporter/clock.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { Turns } from '../../../src/exporter/poll/operations.ts';
import { SimulatedClock } from '../../simulated-clock.ts';
import { sendJson, startUpstream } from '../platform/upstream.ts';

const LEASE_MS = 9_000;
const PAUSE_MS = 60_000;
const REQUESTS = 3;

function onChannel(name: string, happened: (message: unknown) => void): void {
  subscribe(name, happened);
  onTestFinished(() => void unsubscribe(name, happened));
}

async function stoppedAt(origin: string, n: number, world: { moment: () => void; written: () => void }) {
  const simulated = new SimulatedClock();
  const until = simulated.now() + LEASE_MS;
  let [moments, late, permitted] = [0, 0, 0];
  world.moment = () => {
    if (moments === n) simulated.suspend(PAUSE_MS);
    moments += 1;
  };
  world.written = () => {
    if (simulated.now() >= until) late += 1;
  };
  const clock: Clock = {
    now() {
      const now = simulated.now();
      world.moment();
      return now;
    },
    wall: () => simulated.wall(),
    sleep: (ms, signal) => simulated.sleep(ms, signal),
  };
  const [account] = CONFIG.parse({
    accounts: [{ name: 'a', api_url: origin, token: 'a-token', request: { concurrency: 1 } }],
  }).accounts;
  if (account === undefined) throw new Error('one account was configured');
  const connection = new Connection({
    account,
    clock,
    credentials: credentialsFrom(clock, { guard: () => undefined }),
    turns: new Turns(),
    mayLeave() {
      const may = simulated.now() < until;
      if (may) permitted += 1;
      return may;
    },
  });
  const over = new AbortController();
  // Some requests wait for their turn. Requests without turns wait within undici for the only connection.
  const read = connection.operations.readFor('domains');
  const reads = Array.from({ length: REQUESTS }, (_, index) => {
    const resource = { path: `/domains/${index}`, version: 3 } as const;
    return [read(() => resource, over.signal), connection.operations.readAtOnce(resource, over.signal)];
  }).flat();
  // If one request is refused, the others would wait forever.
  await Promise.all(reads.map((reading) => reading.catch(() => over.abort())));
  await connection.close();
  return { late, permitted, wasStopped: moments > n };
}

test('no request is written to a connection once the lease is over, wherever the process was stopped before', async () => {
  const world = { moment: () => {}, written: () => {} };
  for (const name of ['undici:request:create', 'undici:client:connected']) {
    onChannel(name, () => world.moment());
  }
  onChannel('undici:client:sendHeaders', () => world.written());
  const upstream = await startUpstream((_, response) => {
    world.moment();
    sendJson(response, {});
  });
  let permitted = 0;
  let moments = 0;
  for (let isOver = false; !isOver; moments += 1) {
    const run = await stoppedAt(upstream.origin, moments, world);
    expect(run.late, `stopped at moment ${moments}`).toBe(0);
    permitted += run.permitted;
    isOver = !run.wasStopped;
    if (isOver) expect(run.permitted).toBe(2 * REQUESTS);
  }
  expect(upstream.arrivals.length).toBeLessThanOrEqual(permitted);
  expect(moments).toBeGreaterThan(REQUESTS * 4);
});
