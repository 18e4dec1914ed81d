import { expect, it } from 'vitest';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { ConcurrencyLimit } from '../../../src/exporter/rate-limit/concurrency-limit.ts';
import type { QueuedRequest } from '../../../src/exporter/rate-limit/decision.ts';
import { LimitScopes } from '../../../src/exporter/rate-limit/limit-scopes.ts';
import { RequestQueue } from '../../../src/exporter/rate-limit/request-queue.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12);

async function queueWith(
  remaining: number,
  {
    openedAgo = 30_000,
    concurrency = 100,
    answersAfter = {},
    tokenRenewed,
  }: {
    openedAgo?: number;
    concurrency?: number;
    answersAfter?: Readonly<Record<string, number>>;
    tokenRenewed?: () => Promise<boolean>;
  } = {},
) {
  const clock = new SimulatedClock(START + 10_000, PROMISES_ONLY);
  const scopes = new LimitScopes({
    reserve: 0.2,
    assumedLimit: 60,
    platformClock: new PlatformClock(() => clock.now()),
  });
  const { limiter } = scopes.of('metrics');
  const queue = new RequestQueue({ clock, scopes, concurrency, ...(tokenRenewed && { tokenRenewed }) });
  const left: string[] = [];
  const leftAt: number[] = [];
  let resetAt = clock.now() - openedAgo + MINUTE;
  let remains = remaining + 1;
  const answer = () => {
    if (clock.now() >= resetAt) [resetAt, remains] = [clock.now() + MINUTE, 80];
    remains -= 1;
    limiter.observe(clock.now(), { limit: 80, remaining: remains, resetAt });
  };
  const ask = (name: string, overrides: Partial<QueuedRequest>, signal = new AbortController().signal) => {
    const since = clock.now() - MINUTE;
    const request = {
      group: 'metrics',
      notBefore: since,
      weight: 1,
      since,
      plannedIntervalMs: () => 0,
      ...overrides,
    };
    queue.turn(request, signal).then(
      (over) => {
        left.push(name);
        leftAt.push(clock.now() - START);
        const hangsFor = answersAfter[request.group];
        clock.at(clock.now() + (hangsFor ?? 80), () => {
          if (hangsFor === undefined) answer();
          over();
        });
      },
      () => left.push(`${name} aborted`),
    );
  };
  answer();
  const after = (ms: number) => clock.run(clock.now() + ms);
  return { clock, queue, ask, left, leftAt, after, token: scopes.token };
}

it('sends the greatest weight times age first, whatever came first', async () => {
  const { ask, left, after, clock } = await queueWith(79, { concurrency: 1 });
  const since = (minutes: number) => ({ since: clock.now() - minutes * MINUTE });
  ask('settings', { weight: 0.1, ...since(60) });
  ask('requests', { weight: 2, ...since(2) });
  ask('attacks', { weight: 4, ...since(2) });
  ask('requests again', { weight: 2, ...since(3) });
  await after(1_000);
  expect(left).toEqual(['attacks', 'requests again', 'settings', 'requests']);
});

it('lets nothing leave before its time', async () => {
  const { ask, left, leftAt, after, clock } = await queueWith(79);
  ask('later', { notBefore: clock.now() + 5_000 });
  await after(4_999);
  expect(left).toEqual([]);
  await after(2);
  expect(leftAt).toEqual([15_000]);
});

it('counts a request among those that wait once its time has come', async () => {
  const { ask, queue, after, clock } = await queueWith(16);
  ask('later', { notBefore: clock.now() + 5_000 });
  await after(4_999);
  expect(queue.waiting(clock.now())).toBe(0);
  await after(2);
  expect(queue.waiting(clock.now())).toBe(1);
});

it('keeps no more requests in flight than it is told', async () => {
  const { ask, left, after } = await queueWith(79, { concurrency: 3 });
  for (let count = 0; count < 10; count += 1) ask(`${count}`, {});
  await after(10);
  expect(left).toHaveLength(3);
  await after(1_000);
  expect(left).toHaveLength(10);
});

it('leaves the reserve to others', async () => {
  const { ask, left, after } = await queueWith(79);
  for (let count = 0; count < 100; count += 1) ask(`${count}`, {});
  await after(1);
  // The reserve is 16 of the 79 remaining operations.
  expect(left.length).toBe(63);
});

it('keeps what can wait for the moment when the next bucket closes, and only probes until then', async () => {
  const { ask, leftAt, after } = await queueWith(79, { openedAgo: 5_000 });
  for (let count = 0; count < 100; count += 1) ask(`${count}`, { plannedIntervalMs: () => 5 * MINUTE });
  await after(52_000);
  const before = leftAt.filter((time) => time < MINUTE).length;
  expect(before).toBeLessThanOrEqual(4);
  expect(leftAt.length - before).toBeGreaterThan(55);
});

it('does not keep what would be later than planned', async () => {
  const { ask, left, after } = await queueWith(79, { openedAgo: 5_000 });
  for (let count = 0; count < 100; count += 1) ask('can wait', { plannedIntervalMs: () => 5 * MINUTE });
  ask('cannot wait', { since: START - 5 * MINUTE, plannedIntervalMs: () => MINUTE });
  await after(1_000);
  expect(left).toEqual(['cannot wait']);
});

it('lets a request go that is aborted while it waits', async () => {
  const { ask, left, queue, after, clock } = await queueWith(16);
  const giving = new AbortController();
  ask('dropped', {}, giving.signal);
  await after(10);
  expect(queue.waiting(clock.now())).toBe(1);
  giving.abort(new Error('no longer configured'));
  await after(10);
  expect(left).toEqual(['dropped aborted']);
  expect(queue.waiting(clock.now())).toBe(0);
});

const HANGS = { analytics: 30_000 };

it('lets the others go on when one API hangs, by the connection left to them', async () => {
  const { ask, left, after } = await queueWith(79, { concurrency: 6, answersAfter: HANGS });
  const since = START - 10 * MINUTE;
  for (let count = 0; count < 20; count += 1) ask('hung', { group: 'analytics', since });
  for (let count = 0; count < 30; count += 1) ask('works', {});
  await after(10);
  expect(left).toEqual([...Array(5).fill('hung'), 'works']);
  await after(3_000);
  expect(left.filter((name) => name === 'hung')).toHaveLength(5);
  expect(left.filter((name) => name === 'works')).toHaveLength(30);
});

it('does not wait for an answer that hangs to tell what is left of a window', async () => {
  const { ask, left, after } = await queueWith(79, { openedAgo: 59_000, answersAfter: HANGS });
  await after(2_000);
  ask('hung', { group: 'analytics', since: START - 10 * MINUTE });
  ask('works', {});
  await after(1_000);
  expect(left).toEqual(['hung']);
  await after(4_000);
  expect(left).toEqual(['hung', 'works']);
});

it('leaves a connection for another API, however urgent the requests of one are', async () => {
  const { ask, left, after, clock } = await queueWith(79, { concurrency: 3 });
  const early = { since: clock.now() - 10 * MINUTE };
  for (let count = 0; count < 4; count += 1) ask('urgent', early);
  ask('calm', { group: 'domains' });
  await after(10);
  expect(left).toEqual(['urgent', 'urgent', 'calm']);
  await after(100);
  expect(left).toEqual(['urgent', 'urgent', 'calm', 'urgent', 'urgent']);
});

it('does not take an API that hangs for the pace of the others', () => {
  const concurrency = new ConcurrencyLimit(6);
  concurrency.register('metrics');
  const ended = concurrency.send('analytics', START);
  const before = concurrency.throughput;
  ended(START + HANGS.analytics);
  expect(concurrency.throughput).toBe(before);
  concurrency.send('metrics', START)(START + 400);
  expect(concurrency.throughput).toBeLessThan(before);
});

it('probes a refused token by requests of different kinds in turn', async () => {
  const { ask, left, after, token, clock } = await queueWith(79);
  token.observe(clock.now(), 401);
  ask('attacks', { weight: 4 });
  ask('more attacks', { weight: 4 });
  ask('settings', { group: 'settings', weight: 1 });
  await after(350);
  expect([...left].sort()).toEqual(['attacks', 'settings']);
});

it('tries another token within a second or so, however long the next probe is off', async () => {
  let renewed = false;
  const { ask, left, after, token, clock } = await queueWith(79, { tokenRenewed: async () => renewed });
  token.observe(clock.now(), 401);
  for (let probe = 0; probe < 9; probe += 1) token.send(clock.now());
  ask('requests', {});
  await after(20_000);
  expect(left).toEqual([]);
  renewed = true;
  await after(1_100);
  expect(left).toEqual(['requests']);
});
