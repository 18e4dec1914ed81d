import type { Clock } from '../../../src/exporter/clock.ts';
import { Member } from '../../../src/exporter/cluster/member.ts';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import type { SimulatedClock } from '../../simulated-clock.ts';
import type { ModelDatabase } from './model-database.ts';

const ANSWER_MS = 4_000;
const WAY_MS = 5;
const SLOW_MS = 2_500;

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

/**
 * Real member in simulated time. Its process can be stopped, and its connection to the database can be cut or
 * slow.
 */
export class WorldMember {
  readonly clock: ProcessClock;
  /** Accounts that the member has ever owned, in order. */
  readonly openings: { readonly account: string; readonly mayAct: () => boolean }[] = [];
  /** Number of renewals and of loads that reached the database. */
  beats = 0;
  loads = 0;
  cutUntil = 0;
  slowUntil = 0;
  readonly #world: SimulatedClock;

  constructor(name: string, accounts: readonly string[], world: SimulatedClock, database: ModelDatabase) {
    this.#world = world;
    this.clock = new ProcessClock(world);
    let sessions = 0;
    const member = new Member({
      clock: this.clock,
      registry: {
        beat: (request) =>
          this.#exchange(() => {
            this.beats += 1;
            return database.beat(request, name, world.now());
          }),
        leave: async (session) => database.leave(session),
        ownership: async () => ({ accounts: [], moves: [] }),
      },
      openState: ({ account, token }) =>
        this.#exchange(() => {
          this.loads += 1;
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
    member.share(accounts, {
      own: (account, { mayAct }) => void this.openings.push({ account, mayAct }),
      disown: () => this.clock.sleep(20),
      demands: () => [],
    });
  }

  /** Executes a statement. The statement or its answer can be lost. */
  async #exchange<T>(statement: () => T): Promise<T> {
    if (this.#isCut()) return this.#silence();
    await this.#world.sleep(WAY_MS);
    const answer = statement();
    if (this.#isCut()) return this.#silence();
    await this.clock.sleep(this.slowUntil > this.#world.now() ? SLOW_MS : WAY_MS);
    return answer;
  }

  #isCut(): boolean {
    return this.cutUntil > this.#world.now();
  }

  async #silence(): Promise<never> {
    await this.clock.sleep(ANSWER_MS);
    throw new Error('no answer');
  }
}

/** Returns, by account, the number of members that may send a request now. */
export function acting(members: readonly WorldMember[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { openings } of members) {
    for (const { account, mayAct } of openings)
      if (mayAct()) counts.set(account, (counts.get(account) ?? 0) + 1);
  }
  return counts;
}
