import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inLongSuite } from '../../long-suite.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';
import { ModelDatabase } from './model-database.ts';
import { acting, WorldMember } from './world-member.ts';

const TROUBLED_MS = 60_000;
const SETTLE_MS = 40_000;
const REPLICAS = 3;

const TROUBLE = fc.record({
  at: fc.integer({ min: 0, max: TROUBLED_MS }),
  who: fc.integer({ min: 0, max: REPLICAS - 1 }),
  kind: fc.constantFrom('stopped', 'cut', 'slow'),
  ms: fc.integer({ min: 500, max: 25_000 }),
});

function startMembers(count: number, accounts: readonly string[], world: SimulatedClock): WorldMember[] {
  const database = new ModelDatabase();
  return Array.from({ length: count }, (_, n) => new WorldMember(`replica-${n}`, accounts, world, database));
}

test('of real members, whatever is stopped or cut off, one may send a request for an account at a time, and then one does', async () => {
  const accounts = ['a', 'b', 'c', 'd'];
  await fc.assert(
    fc.asyncProperty(fc.array(TROUBLE, { minLength: 3, maxLength: 12 }), async (troubles) => {
      const world = new SimulatedClock(0, PROMISES_ONLY);
      const members = startMembers(REPLICAS, accounts, world);
      for (const { at, who, kind, ms } of troubles) {
        world.at(at, () => {
          const one = members[who];
          if (one === undefined) return;
          const until = Math.min(at + ms, TROUBLED_MS);
          if (kind === 'stopped') one.clock.stoppedUntil = until;
          else if (kind === 'cut') one.cutUntil = until;
          else one.slowUntil = until;
        });
      }
      while (world.now() < TROUBLED_MS + SETTLE_MS) {
        await world.advance(250);
        expect(Math.max(0, ...acting(members).values())).toBeLessThanOrEqual(1);
      }
      expect(acting(members)).toEqual(new Map(accounts.map((account) => [account, 1])));
    }),
    { numRuns: 25 },
  );
});

const ACCOUNTS = inLongSuite(10_000, 2_000);

test(`of 20 replicas with ${ACCOUNTS} accounts five are lost at once: the others have all within 15 s, none moves in vain`, async () => {
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => `account-${n}`);
  const world = new SimulatedClock(0, PROMISES_ONLY);
  const database = new ModelDatabase();
  const members: WorldMember[] = [];
  for (let n = 0; n < 20; n += 1) {
    members.push(new WorldMember(`replica-${n}`, accounts, world, database));
    await world.advance(70);
  }
  await world.run(30_000);
  const left = members.slice(5);
  const shares = () => left.map((one) => acting([one]).size);
  expect(shares()).toEqual(left.map(() => ACCOUNTS / 20));
  const sum = (of: 'beats' | 'loads') => left.reduce((total, one) => total + one[of], 0);
  const [beats, loads, moves] = [sum('beats'), sum('loads'), database.moves];
  for (const one of members.slice(0, 5)) one.clock.stoppedUntil = Number.POSITIVE_INFINITY;
  await world.advance(15_000);
  expect(acting(left).size).toBe(accounts.length);
  await world.advance(15_000);
  expect(Math.max(...shares()) - Math.min(...shares())).toBe(1);
  // As docs/cluster.md says, 2,500 of 10,000 accounts move, each once, and a replica sends two statements in
  // 4 s.
  expect([sum('loads') - loads, database.moves - moves]).toEqual([ACCOUNTS / 4, ACCOUNTS / 4]);
  expect((sum('beats') - beats) / 30).toBeLessThan(9);
});
