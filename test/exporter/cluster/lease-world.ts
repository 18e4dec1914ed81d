import {
  type BeatRequest,
  beginning,
  type LeaseAction,
  type LeaseEvent,
  type LeaseView,
  mayAct,
  nextAt,
  step,
} from '../../../src/exporter/cluster/lease.ts';
import { type Planned, pop, push } from './event-queue.ts';
import { ModelDatabase, Violation } from './model-database.ts';

interface Polled {
  readonly token: number;
  counted: number | undefined;
  /** True while a commit is in progress; commits run one at a time. */
  isCommitting: boolean;
}

interface ModelReplica {
  readonly name: string;
  view: LeaseView;
  readonly polled: Map<string, Polled>;
  /** Local clock: local time = offset + rate × global time. */
  readonly offset: number;
  readonly rate: number;
  pausedUntil: number;
  cutOffUntil: number;
  isDead: boolean;
  /** Global time at which the replica next checks for changes. */
  wakesAt: number;
  written: number;
}

interface Happening extends Planned {
  readonly replica: ModelReplica | undefined;
  readonly happen: () => void;
}

export interface WorldOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly accounts: number;
  /** Time (ms) with faults. Afterwards everything works until the world has settled. */
  readonly troubledMs: number;
}

const POLL_MS = 1_000;
const CLIENT_TIMEOUT_MS = 7_000;
const SETTLE_MS = 60_000;

/**
 * Simulation of replicas, their network and a database. Messages are late or lost, processes pause or die,
 * the database fails, and clocks differ by up to 3 %.
 */
export class LeaseWorld {
  readonly database = new ModelDatabase();
  readonly #options: WorldOptions;
  readonly #replicas: ModelReplica[] = [];
  readonly #queue: Happening[] = [];
  readonly #names: ReadonlySet<string>;
  #now = 0;
  #order = 0;
  #sessions = 0;
  #random: number;
  #databaseAwayUntil = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#random = options.seed | 0;
    this.#names = new Set(Array.from({ length: options.accounts }, (_, n) => `account-${n}`));
    for (let n = 0; n < options.replicas; n += 1) this.#startReplica(`replica-${n}`, this.#upTo(3_000));
  }

  /**
   * Runs the schedule of this seed.
   * @throws Violation if a promise of the protocol is broken
   */
  run(): void {
    const { troubledMs } = this.#options;
    for (let at = this.#upTo(4_000); at < troubledMs; at += this.#upTo(8_000)) {
      this.#at(at, undefined, () => this.#fault());
    }
    this.#until(troubledMs);
    this.#until(troubledMs + SETTLE_MS);
    const moves = this.database.moves;
    this.#until(troubledMs + SETTLE_MS + 15_000);
    this.#assertSettled(moves);
  }

  get #isTroubled(): boolean {
    return this.#now < this.#options.troubledMs;
  }

  #until(end: number): void {
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined || next.at > end) break;
      pop(this.#queue);
      this.#now = Math.max(this.#now, next.at);
      const { replica } = next;
      if (replica?.isDead) continue;
      // A paused process handles all events when it continues.
      if (replica !== undefined && replica.pausedUntil > this.#now) {
        this.#at(replica.pausedUntil, replica, next.happen);
        continue;
      }
      next.happen();
      this.#assertOneOwner();
    }
    this.#now = end;
  }

  #fault(): void {
    const replica = this.#replicas[this.#upTo(this.#replicas.length)];
    if (replica === undefined) return;
    const untilTroubleEnds = this.#options.troubledMs;
    const lasting = (most: number) => Math.min(this.#now + this.#upTo(most), untilTroubleEnds);
    switch (this.#upTo(6)) {
      case 0:
        replica.pausedUntil = lasting(25_000);
        break;
      case 1:
        replica.cutOffUntil = lasting(25_000);
        break;
      case 2:
        this.#databaseAwayUntil = lasting(20_000);
        break;
      case 3:
        this.#kill(replica);
        break;
      case 4:
        this.#dispatch(replica, { kind: 'leave' });
        this.#leaveWhenClosed(replica);
        break;
      default:
        replica.pausedUntil = lasting(2_000);
    }
  }

  #kill(replica: ModelReplica): void {
    replica.isDead = true;
    this.#replicas.splice(this.#replicas.indexOf(replica), 1);
    this.#startReplica(replica.name, this.#now + this.#upTo(10_000));
  }

  #leaveWhenClosed(replica: ModelReplica): void {
    const isClosed = [...replica.view.holds.values()].every(({ phase }) => phase === 'closed');
    if (!isClosed) {
      this.#at(this.#now + 100, replica, () => this.#leaveWhenClosed(replica));
      return;
    }
    if (!this.#isLost(replica)) this.database.leave(replica.view.session);
    this.#kill(replica);
  }

  #startReplica(name: string, at: number): void {
    const replica: ModelReplica = {
      name,
      view: beginning(this.#nextSession()),
      polled: new Map(),
      offset: this.#upTo(1e9),
      rate: 0.97 + this.#upTo(60) / 1_000,
      pausedUntil: 0,
      cutOffUntil: 0,
      isDead: false,
      wakesAt: Number.POSITIVE_INFINITY,
      written: 0,
    };
    this.#replicas.push(replica);
    this.#at(at, replica, () => {
      this.#dispatch(replica, { kind: 'wanted', accounts: this.#names, digest: 'all' });
      this.#dispatch(replica, { kind: 'time' });
    });
    this.#at(at, replica, () => this.#poll(replica));
  }

  #dispatch(replica: ModelReplica, event: LeaseEvent): void {
    const [view, actions] = step(replica.view, event, localOf(replica, this.#now));
    replica.view = view;
    for (const action of actions) this.#perform(replica, action);
    this.#wake(replica);
  }

  #wake(replica: ModelReplica): void {
    const local = nextAt(replica.view);
    const at = Math.max(this.#now, Math.ceil((local - replica.offset) / replica.rate));
    if (!Number.isFinite(at) || at >= replica.wakesAt) return;
    replica.wakesAt = at;
    this.#at(at, replica, () => {
      if (replica.wakesAt === at) replica.wakesAt = Number.POSITIVE_INFINITY;
      this.#dispatch(replica, { kind: 'time' });
    });
  }

  #perform(replica: ModelReplica, action: LeaseAction): void {
    switch (action.kind) {
      case 'beat':
        this.#beat(replica, action.number, action.request);
        break;
      case 'open':
        this.#load(replica, action.account, Number(action.token));
        break;
      case 'close':
        this.#close(replica, action);
    }
  }

  #close(replica: ModelReplica, action: LeaseAction & { readonly kind: 'close' }): void {
    const { account, token } = action;
    // An orderly stop waits for the poll in progress; a fast one hardly waits.
    const took = action.orderly ? this.#upTo(1_500) : this.#upTo(50);
    this.#at(this.#now + took, replica, () => {
      if (replica.polled.get(account)?.token === Number(token)) replica.polled.delete(account);
      this.#dispatch(replica, { kind: 'closed', account, token });
    });
  }

  #beat(replica: ModelReplica, number: number, request: BeatRequest): void {
    const unanswered = () => this.#dispatch(replica, { kind: 'unanswered', number });
    this.#exchange(
      replica,
      () => this.database.beat(request, replica.name, this.#now),
      (answer) =>
        this.#dispatch(replica, { kind: 'answered', number, answer, nextSession: this.#nextSession() }),
      unanswered,
    );
  }

  /** Loads the counted state after an empty write, which invalidates writes in progress. */
  #load(replica: ModelReplica, account: string, token: number): void {
    const polled: Polled = { token, counted: undefined, isCommitting: false };
    replica.polled.set(account, polled);
    const closed = () => {
      if (replica.polled.get(account) !== polled) return;
      replica.polled.delete(account);
      this.#dispatch(replica, { kind: 'closed', account, token: `${polled.token}` });
    };
    const number = this.#nextWrite(replica);
    this.#exchange(
      replica,
      () => this.database.write(account, polled.token, number, undefined),
      (done) => {
        if (!done) return closed();
        this.#exchange(
          replica,
          () => this.database.row(account).value,
          (value) => {
            polled.counted = value;
          },
          closed,
        );
      },
      closed,
    );
  }

  #poll(replica: ModelReplica): void {
    for (const [account, polled] of replica.polled) {
      const { counted, token } = polled;
      const isAllowed = mayAct(replica.view, account, `${token}`, localOf(replica, this.#now));
      if (counted === undefined || polled.isCommitting || !isAllowed) continue;
      this.#assertOneRequester(account, token);
      const number = this.#nextWrite(replica);
      polled.isCommitting = true;
      this.#exchange(
        replica,
        () => this.database.write(account, token, number, counted + 1),
        (done) => {
          polled.isCommitting = false;
          if (!done) return;
          polled.counted = counted + 1;
          const row = this.database.row(account);
          row.acknowledged = Math.max(row.acknowledged, counted + 1);
        },
        () => {
          polled.isCommitting = false;
        },
      );
    }
    this.#at(this.#now + POLL_MS, replica, () => this.#poll(replica));
  }

  /** Sends a statement and its answer. Each may be late or lost; a late statement still takes effect. */
  #exchange<T>(
    replica: ModelReplica,
    execute: () => T,
    answered: (answer: T) => void,
    unanswered: () => void,
  ): void {
    let isOver = false;
    const end = (over: () => void) => () => {
      if (isOver) return;
      isOver = true;
      over();
    };
    const isLate = this.#isTroubled && this.#upTo(25) === 0;
    const there = isLate ? this.#upTo(20_000) : 1 + this.#upTo(20);
    this.#at(this.#now + CLIENT_TIMEOUT_MS, replica, end(unanswered));
    if (this.#isLost(replica)) return;
    this.#at(this.#now + there, undefined, () => {
      if (this.#databaseAwayUntil > this.#now) return;
      const answer = execute();
      if (this.#isLost(replica)) return;
      const isSlow = this.#isTroubled && this.#upTo(25) === 0;
      const back = isSlow ? this.#upTo(CLIENT_TIMEOUT_MS) : 1 + this.#upTo(20);
      this.#at(
        this.#now + back,
        replica,
        end(() => answered(answer)),
      );
    });
  }

  #isLost(replica: ModelReplica): boolean {
    if (replica.cutOffUntil > this.#now || this.#databaseAwayUntil > this.#now) return true;
    return this.#isTroubled && this.#upTo(25) === 0;
  }

  /**
   * Asserts that each account has at most one owner. Includes paused replicas: when they continue, their own
   * clocks show that the lease has expired.
   */
  #assertOneOwner(): void {
    const owned = new Set<string>();
    for (const replica of this.#replicas) {
      const { view } = replica;
      const local = localOf(replica, this.#now);
      if (local >= view.until) continue;
      for (const [account, { token }] of view.holds) {
        if (!mayAct(view, account, token, local)) continue;
        if (owned.has(account)) throw new Violation(`two owners of ${account} at ${this.#now}`);
        owned.add(account);
      }
    }
  }

  /** Asserts that no request leaves under a lease after a request under a later lease. */
  #assertOneRequester(account: string, token: number): void {
    const row = this.database.row(account);
    if (token < row.requested) throw new Violation(`a request for ${account} under a lease of before`);
    row.requested = token;
  }

  #assertSettled(moves: number): void {
    const counts = this.#replicas.map((replica) => {
      const local = localOf(replica, this.#now);
      const isPolled = ([account, { token, counted }]: readonly [string, Polled]) =>
        counted !== undefined && mayAct(replica.view, account, `${token}`, local);
      return [...replica.polled].filter(isPolled).length;
    });
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total !== this.#names.size)
      throw new Violation(`${total} of ${this.#names.size} accounts are polled`);
    if (Math.max(...counts) - Math.min(...counts) > 1) throw new Violation(`uneven: ${counts}`);
    if (this.database.moves !== moves) throw new Violation('accounts move though nothing happens');
  }

  #nextSession(): string {
    this.#sessions += 1;
    return `session-${String(this.#sessions).padStart(6, '0')}`;
  }

  #nextWrite(replica: ModelReplica): number {
    replica.written += 1;
    return replica.written;
  }

  #at(at: number, replica: ModelReplica | undefined, happen: () => void): void {
    this.#order += 1;
    push(this.#queue, { at, order: this.#order, replica, happen });
  }

  /** Returns a random integer from 0 to below `end` (mulberry32). */
  #upTo(end: number): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }
}

function localOf({ offset, rate }: Pick<ModelReplica, 'offset' | 'rate'>, now: number): number {
  return offset + rate * now;
}
