import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/exporter/clock.ts';
import { Member } from '../../../src/exporter/cluster/member.ts';
import { memoryState } from '../../../src/exporter/state/state.ts';
import { PROMISES_ONLY, SimulatedClock } from '../../simulated-clock.ts';
import { ModelDatabase } from './model-database.ts';

const ACCOUNTS = ['a', 'b', 'c', 'd'];
const REPLICAS = 3;
const TROUBLED_MS = 60_000;
const SETTLE_MS = 40_000;
const ANSWER_MS = 4_000;

/** The clock of a process that can be stopped: what should have woken meanwhile wakes when it goes on. */
class ProcessClock implements Clock {
  readonly #world: SimulatedClock;
  stoppedUntil = 0;

  constructor(world: SimulatedClock) {
    this.#world = world;
  }

  now(): number {
    return this.#world.now();
  }

  wall(): number {
    return this.#world.wall();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#world.sleep(ms, signal);
    while (this.stoppedUntil > this.now()) await this.#world.sleep(this.stoppedUntil - this.now(), signal);
  }
}

/** A replica whose way to the database takes its time, and can be cut. */
function replica(name: string, world: SimulatedClock, database: ModelDatabase) {
  const clock = new ProcessClock(world);
  const may: { readonly account: string; readonly mayAct: () => boolean }[] = [];
  let sessions = 0;
  const own = { cutUntil: 0, slowUntil: 0, clock, may };
  /** The statement takes effect, or not; its answer comes, or not. */
  const exchange = async <T>(statement: () => T): Promise<T> => {
    const isCut = () => own.cutUntil > world.now();
    const lost = async () => {
      await clock.sleep(ANSWER_MS);
      throw new Error('no answer');
    };
    if (isCut()) return lost();
    await world.sleep(5);
    const answer = statement();
    if (isCut()) return lost();
    await clock.sleep(own.slowUntil > world.now() ? 2_500 : 5);
    return answer;
  };
  const member = new Member({
    clock,
    registry: {
      beat: (request) => exchange(() => database.beat(request, name, world.now())),
      leave: async (session) => database.leave(session),
      ownership: async () => ({ accounts: [], moves: [] }),
    },
    openState: ({ account, token }) =>
      exchange(() => {
        if (database.row(account).token !== Number(token)) throw new Error('fenced');
        return memoryState();
      }),
    name,
    newSession() {
      sessions += 1;
      return `${name}.${sessions}`;
    },
    log: { info: () => undefined, warn: () => undefined },
  });
  member.share(ACCOUNTS, {
    own: (account, { mayAct }) => void may.push({ account, mayAct }),
    disown: () => clock.sleep(20),
    demands: () => [],
  });
  return own;
}

/** How many of all that ever ran may send a request for each account at this moment. */
function acting(replicas: readonly ReturnType<typeof replica>[]): number[] {
  return ACCOUNTS.map((wanted) => {
    const openings = replicas.flatMap(({ may }) => may.filter(({ account }) => account === wanted));
    return openings.filter(({ mayAct }) => mayAct()).length;
  });
}

const TROUBLE = fc.record({
  at: fc.integer({ min: 0, max: TROUBLED_MS }),
  who: fc.integer({ min: 0, max: REPLICAS - 1 }),
  kind: fc.constantFrom('stopped', 'cut', 'slow'),
  ms: fc.integer({ min: 500, max: 25_000 }),
});

test('of real members, whatever is stopped or cut off, one may send a request for an account at a time, and then one does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(TROUBLE, { minLength: 3, maxLength: 12 }), async (troubles) => {
      const world = new SimulatedClock(0, PROMISES_ONLY);
      const database = new ModelDatabase();
      const replicas = Array.from({ length: REPLICAS }, (_, n) => replica(`replica-${n}`, world, database));
      for (const { at, who, kind, ms } of troubles) {
        world.at(at, () => {
          const one = replicas[who];
          if (one === undefined) return;
          const until = Math.min(at + ms, TROUBLED_MS);
          if (kind === 'stopped') one.clock.stoppedUntil = until;
          else if (kind === 'cut') one.cutUntil = until;
          else one.slowUntil = until;
        });
      }
      while (world.now() < TROUBLED_MS + SETTLE_MS) {
        await world.advance(250);
        expect(Math.max(...acting(replicas))).toBeLessThanOrEqual(1);
      }
      expect(acting(replicas)).toEqual(ACCOUNTS.map(() => 1));
    }),
    { numRuns: 25 },
  );
});
