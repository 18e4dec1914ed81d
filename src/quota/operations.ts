import type { Clock } from '../clock.ts';
import { cannotWait, type Kept, keptFor } from './better-moment.ts';
import type { Scope, Scopes } from './scopes.ts';
import { type Ticket, urgencyOf } from './ticket.ts';
import { type Waiting, WaitingRoom } from './waiting-room.ts';
import { Wire } from './wire.ts';

export interface OperationsOptions {
  readonly clock: Clock;
  readonly scopes: Scopes;
  /** How many operations may be on the wire at once. */
  readonly concurrency: number;
  /** Told how long (ms) a ticket that could have left waited for the quota or the wire. */
  readonly onDepart?: (ticket: Ticket, waitedMs: number) => void;
}

/** What a scope allows at a moment. */
export interface Opening {
  /** How many operations may leave now. */
  readonly free: number;
  /** Milliseconds until one may, when none may now. */
  readonly waitMs: number;
  /** How many tickets wait for it whose time has come. */
  readonly waiting: number;
  /** How many of the free ones are kept, and until when. */
  readonly kept: Kept;
  /** When the platform's next bucket closes (local ms). */
  readonly bucketClosesAt: number;
}

/**
 * Where every operation of an account waits for its turn: for a place on the wire, for its scope's budget, and for the
 * moment at which it brings most. Who leaves is decided when something may leave, by the urgency at that moment.
 */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #waiting = new WaitingRoom();
  readonly #wire: Wire;
  #reviewComes = false;
  #alarm: AbortController | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#wire = new Wire(options.concurrency);
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
    return Number.isFinite(this.#alarmAt) ? this.#alarmAt : undefined;
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
    this.#wakeAt(Math.min(nextEarly, now + next));
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

  /** What a scope allows now. */
  opening({ budget }: Scope, now: number): Opening {
    const { scopes } = this.#options;
    const bucketClosesAt = scopes.platformClock.nextMinute(now);
    const { throughput } = this.#wire;
    const kept = keptFor({ now, frame: budget.view(now), bucketClosesAt, throughput });
    const waiting = this.#waiting.count((group) => scopes.of(group).budget === budget);
    return { free: budget.free(now), waitMs: budget.waitMs(now), waiting, kept, bucketClosesAt };
  }

  /** Whether the answers of a group are so late that it gets fewer places on the wire than others. */
  isSlow(group: string, now: number): boolean {
    return this.#wire.isSlow(group, now);
  }

  /** Forgets the alarm, so that nothing keeps the process alive. */
  stop(): void {
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }

  /**
   * The waiting entry to let leave now, or the milliseconds until one may. Where the most urgent one waits for a place,
   * the others wait with it, so that they do not spend its quota, unless its group is slow.
   */
  #choose(now: number): Waiting | number {
    const wire = this.#wire;
    if (wire.full) return Number.POSITIVE_INFINITY;
    const openings = new Map<Scope, Opening>();
    let chosen: Waiting | undefined;
    let soonest = Number.POSITIVE_INFINITY;
    for (const head of this.#waiting.heads()) {
      const { group } = head.ticket;
      if (wire.isSlow(group, now) && !wire.hasPlace(group, now)) continue;
      const scope = this.#options.scopes.of(group);
      const opening = openings.get(scope) ?? this.opening(scope, now);
      openings.set(scope, opening);
      const wait = waitOf(head.ticket, opening, now);
      soonest = Math.min(soonest, wait);
      if (wait > 0) continue;
      if (chosen === undefined || urgencyOf(head.ticket, now) > urgencyOf(chosen.ticket, now)) chosen = head;
    }
    if (chosen === undefined || wire.hasPlace(chosen.ticket.group, now)) return chosen ?? soonest;
    return Math.min(soonest, wire.slowInMs(chosen.ticket.group, now));
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

  #wakeAt(time: number): void {
    if (time === this.#alarmAt) return;
    this.#alarm?.abort();
    this.#alarm = undefined;
    this.#alarmAt = time;
    if (time === Number.POSITIVE_INFINITY) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    const wait = Math.max(1, time - this.#options.clock.now());
    this.#options.clock.sleep(wait, alarm.signal).then(
      () => {
        this.#alarmAt = Number.POSITIVE_INFINITY;
        this.review();
      },
      // The only way to fail is the abort above: a nearer alarm has replaced this one.
      () => undefined,
    );
  }
}

/** Milliseconds until a ticket may leave, 0 for now. */
function waitOf(ticket: Ticket, opening: Opening, now: number): number {
  const { free, waitMs, waiting, kept, bucketClosesAt } = opening;
  if (free === 0) return waitMs;
  // When there is enough for all, nobody is left to look with.
  const forLooks = waiting > free ? kept.forLooks : 0;
  const forBucket = cannotWait(ticket, bucketClosesAt) ? 0 : kept.forBucket;
  return free > Math.max(forLooks, forBucket) ? 0 : kept.until - now;
}
