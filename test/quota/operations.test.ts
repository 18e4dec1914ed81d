import { expect, it } from 'vitest';
import { PlatformClock } from '../../src/platform/platform-clock.ts';
import { Operations } from '../../src/quota/operations.ts';
import { Scopes } from '../../src/quota/scopes.ts';
import type { Ticket } from '../../src/quota/ticket.ts';
import { EventClock } from '../bench/schedule/event-clock.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 5, 12);

/** A queue whose platform has just answered that so much remains, half a minute before its frame closes. */
async function queueWith(remaining: number, { openedAgo = 30_000, concurrency = 100 } = {}) {
  const clock = new EventClock(START + 10_000);
  const scopes = new Scopes({
    reserve: 0.2,
    assumedLimit: 60,
    platformClock: new PlatformClock(() => clock.now()),
  });
  const { budget } = scopes.of('metrics');
  const operations = new Operations({ clock, scopes, concurrency });
  const left: string[] = [];
  const leftAt: number[] = [];
  const resetAt = clock.now() - openedAgo + MINUTE;
  let remains = remaining + 1;
  const answer = () => {
    remains -= 1;
    budget.observe(clock.now(), { limit: 80, remaining: remains, resetAt });
  };
  const ask = (name: string, wish: Partial<Ticket>, signal = new AbortController().signal) => {
    const since = clock.now() - MINUTE;
    const ticket = { group: 'metrics', notBefore: since, weight: 1, since, patience: () => 0, ...wish };
    operations.turn(ticket, signal).then(
      (over) => {
        left.push(name);
        leftAt.push(clock.now() - START);
        clock.at(clock.now() + 80, () => {
          answer();
          over();
        });
      },
      () => left.push(`${name} gave up`),
    );
  };
  answer();
  return { clock, operations, ask, left, leftAt, after: (ms: number) => clock.run(clock.now() + ms) };
}

it('lets the greatest weight times age leave first, whatever came first', async () => {
  const { ask, left, after, clock } = await queueWith(79, { concurrency: 1 });
  const since = (minutes: number) => ({ since: clock.now() - minutes * MINUTE });
  ask('estate', { weight: 0.1, ...since(60) });
  ask('requests', { weight: 2, ...since(2) });
  ask('attacks', { weight: 4, ...since(2) });
  ask('requests again', { weight: 2, ...since(3) });
  await after(1_000);
  expect(left).toEqual(['attacks', 'requests again', 'estate', 'requests']);
});

it('lets nothing leave before its time', async () => {
  const { ask, left, leftAt, after, clock } = await queueWith(79);
  ask('later', { notBefore: clock.now() + 5_000 });
  await after(4_999);
  expect(left).toEqual([]);
  await after(2);
  expect(leftAt).toEqual([15_000]);
});

it('keeps no more on the wire than it is told', async () => {
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
  // Of 79 that remain 16 stay, and a few are kept to look at the frame until its end.
  expect(left.length).toBeGreaterThanOrEqual(57);
  expect(left.length).toBeLessThanOrEqual(60);
});

it('keeps what can wait for the moment when the next bucket closes, and only looks until then', async () => {
  const { ask, leftAt, after } = await queueWith(79, { openedAgo: 5_000 });
  for (let count = 0; count < 100; count += 1) ask(`${count}`, { patience: () => 5 * MINUTE });
  await after(52_000);
  const before = leftAt.filter((time) => time < MINUTE).length;
  expect(before).toBeLessThanOrEqual(4);
  expect(leftAt.length - before).toBeGreaterThan(55);
});

it('does not keep what would be later than planned', async () => {
  const { ask, left, after } = await queueWith(79, { openedAgo: 5_000 });
  for (let count = 0; count < 100; count += 1) ask('can wait', { patience: () => 5 * MINUTE });
  ask('cannot wait', { since: START - 5 * MINUTE, patience: () => MINUTE });
  await after(1_000);
  expect(left).toEqual(['cannot wait']);
});

it('lets a ticket go that is given up while it waits', async () => {
  const { ask, left, operations, after, clock } = await queueWith(16);
  const giving = new AbortController();
  ask('given up', {}, giving.signal);
  await after(10);
  expect(operations.waiting(clock.now())).toBe(1);
  giving.abort(new Error('no longer wanted'));
  await after(10);
  expect(left).toEqual(['given up gave up']);
  expect(operations.waiting(clock.now())).toBe(0);
});
