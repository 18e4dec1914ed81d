import type { Clock } from '../clock.ts';
import { Alarm } from './alarm.ts';
import { keptFor } from './better-moment.ts';
import { type Hold, holdOf, type Opening } from './hold.ts';
import type { Scope, Scopes } from './scopes.ts';
import type { Ticket } from './ticket.ts';
import { mostUrgent, type Waiting, WaitingRoom } from './waiting-room.ts';
import { Wire } from './wire.ts';

export interface OperationsOptions {
  readonly clock: Clock;
  readonly scopes: Scopes;
  /** How many operations may be on the wire at once. */
  readonly concurrency: number;
  /** Told how long (ms) a ticket that could have left waited for the quota or the wire. */
  readonly onDepart?: (ticket: Ticket, waitedMs: number) => void;
}

/** What keeps a ticket that waits from leaving. */
export interface Obstacle {
  /**
   * A hold of its scope; `wire` where every place on the wire is taken, `slow` where that is so for its group, whose
   * answers are late; undefined where it is about to leave.
   */
  readonly why: Hold['why'] | 'wire' | 'slow' | undefined;
  /** When that ends (local ms); Infinity where it is not known. */
  readonly until: number;
  /** Whether it leaves before all others that wait for the same. */
  readonly next: boolean;
}

/**
 * Where every operation of an account waits for its turn: for a place on the wire, for its scope's budget, and for the
 * moment at which it brings most. Who leaves is decided when something may leave, by the urgency at that moment.
 */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #waiting = new WaitingRoom();
  readonly #wire: Wire;
  readonly #alarm: Alarm;
  #reviewComes = false;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#wire = new Wire(options.concurrency);
    this.#alarm = new Alarm(options.clock, () => this.review());
  }

  /** How many operations may be on the wire at once. */
  get connections(): number {
    return this.#options.concurrency;
  }

  /** How many tickets wait whose time has come, of one scope or of all. */
  waiting(now: number, scopeName?: string): number {
    this.#waiting.admit(now);
    const { scopes } = this.#options;
    return this.#waiting.count((group) => scopeName === undefined || scopes.of(group).name === scopeName);
  }

  /** Until when (local ms) the quota lets nothing leave of what waits; undefined when nothing waits for that. */
  restsUntil(now: number): number | undefined {
    if (this.waiting(now) === 0 || this.#wire.full) return undefined;
    return this.#alarm.at;
  }

  /** Tells of tickets that wait what keeps them now. */
  obstacles(now: number): (ticket: Ticket) => Obstacle {
    this.#waiting.admit(now);
    const { scopes } = this.#options;
    const hold = this.#holds(now);
    const heads = [...this.#waiting.heads()];
    return (ticket) => {
      const held = hold(ticket);
      const scope = scopes.of(ticket.group);
      const first = mostUrgent(heads, now, (other) =>
        held === undefined ? hold(other.ticket) === undefined : scopes.of(other.ticket.group) === scope,
      );
      const next = first?.ticket === ticket;
      if (held !== undefined) return { why: held.why, until: held.until, next };
      return { why: this.#lacksPlace(ticket, now), until: Number.POSITIVE_INFINITY, next };
    };
  }

  /** Resolves when the operation may leave; the caller must call the function it gets when the operation is over. */
  turn(ticket: Ticket, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const giveUp = () => {
        this.#waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        ticket,
        depart: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(this.#leave(ticket));
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#wire.meet(ticket.group);
      this.#waiting.add(entry, this.#options.clock.now());
      this.#reviewSoon();
    });
  }

  /** Lets leave whatever may leave now, and sets the alarm for the next moment when something may. */
  review(): void {
    const now = this.#options.clock.now();
    const nextEarly = this.#waiting.admit(now);
    let next = this.#choose(now);
    while (typeof next === 'object') {
      this.#waiting.delete(next);
      this.#options.onDepart?.(next.ticket, now - next.ticket.notBefore);
      next.depart();
      next = this.#choose(now);
    }
    this.#alarm.set(Math.min(nextEarly, now + next));
  }

  /** Once for all that ask at the same moment, so that the most urgent of them goes first and not the first to ask. */
  #reviewSoon(): void {
    if (this.#reviewComes) return;
    this.#reviewComes = true;
    queueMicrotask(() => {
      this.#reviewComes = false;
      this.review();
    });
  }

  /** Forgets the alarm, so that nothing keeps the process alive. */
  stop(): void {
    this.#alarm.set(Number.POSITIVE_INFINITY);
  }

  /**
   * The waiting entry to let leave now, or the milliseconds until one may. Where the most urgent one waits for a place,
   * the others wait with it, so that they do not spend its quota, unless its group is slow.
   */
  #choose(now: number): Waiting | number {
    const wire = this.#wire;
    if (wire.full) return Number.POSITIVE_INFINITY;
    const hold = this.#holds(now);
    let soonest = Number.POSITIVE_INFINITY;
    const chosen = mostUrgent(this.#waiting.heads(), now, ({ ticket }) => {
      if (wire.isSlow(ticket.group, now) && !wire.hasPlace(ticket.group, now)) return false;
      const held = hold(ticket);
      soonest = Math.min(soonest, (held?.reviewAt ?? now) - now);
      return held === undefined;
    });
    if (chosen === undefined || wire.hasPlace(chosen.ticket.group, now)) return chosen ?? soonest;
    return Math.min(soonest, wire.slowInMs(chosen.ticket.group, now));
  }

  /** Why there is no place on the wire for a ticket; undefined when there is. */
  #lacksPlace({ group }: Ticket, now: number): 'wire' | 'slow' | undefined {
    if (this.#wire.hasPlace(group, now)) return undefined;
    return this.#wire.isSlow(group, now) ? 'slow' : 'wire';
  }

  /** What holds tickets now, wire aside. */
  #holds(now: number): (ticket: Ticket) => Hold | undefined {
    const openings = new Map<Scope, Opening>();
    return (ticket) => {
      const scope = this.#options.scopes.of(ticket.group);
      const opening = openings.get(scope) ?? this.#opening(scope, now);
      openings.set(scope, opening);
      return holdOf(ticket, opening);
    };
  }

  #opening({ budget }: Scope, now: number): Opening {
    const { scopes } = this.#options;
    const bucketClosesAt = scopes.platformClock.nextMinute(now);
    const { throughput } = this.#wire;
    const why = budget.shortage(now);
    const until = now + budget.waitMs(now);
    return {
      free: budget.free(now),
      shortage: why && { why, until, reviewAt: until },
      waiting: this.#waiting.count((group) => scopes.of(group).budget === budget),
      kept: keptFor({ now, frame: budget.view(now), bucketClosesAt, throughput }),
      bucketClosesAt,
    };
  }

  #leave({ group }: Ticket): () => void {
    const leftAt = this.#options.clock.now();
    const land = this.#options.scopes.of(group).budget.depart(leftAt);
    const freePlace = this.#wire.depart(group, leftAt);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      land();
      freePlace(this.#options.clock.now());
      this.review();
    };
  }
}
