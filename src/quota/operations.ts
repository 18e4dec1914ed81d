import type { Clock } from '../clock.ts';
import type { Scopes } from './scopes.ts';

/** An operation that wants to leave. */
export interface Ticket {
  /** The group of operations it belongs to, which decides its limit scope. */
  readonly group: string;
  /** The local time (ms) before which it must not leave. */
  readonly notBefore: number;
  /** How much it matters that it leaves now; the greatest leaves first. */
  urgency(now: number): number;
}

interface Waiting {
  readonly ticket: Ticket;
  readonly depart: () => void;
}

export interface OperationsOptions {
  readonly clock: Clock;
  readonly scopes: Scopes;
  /** How many operations may be on the wire at once. */
  readonly concurrency: number;
  /** Told how long (ms) a ticket that could have left waited for the quota or the wire. */
  readonly onDepart?: (ticket: Ticket, waitedMs: number) => void;
}

/**
 * Where every operation of an account waits for its turn: for a place on the wire and for its scope's budget.
 * Who leaves is decided at the moment when something may leave, by the urgency at that moment.
 */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #waiting = new Set<Waiting>();
  #onTheWire = 0;
  #alarm: AbortController | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  /** How many tickets wait whose time has come, of one scope or of all. */
  waiting(now: number, scopeName?: string): number {
    let count = 0;
    for (const { ticket } of this.#waiting) {
      const mine = scopeName === undefined || this.#options.scopes.of(ticket.group).name === scopeName;
      if (mine && ticket.notBefore <= now) count += 1;
    }
    return count;
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
      this.#waiting.add(entry);
      this.review();
    });
  }

  /** Lets leave whatever may leave now, and sets the alarm for the next moment when something may. */
  review(): void {
    const now = this.#options.clock.now();
    let next = this.#choose(now);
    while (typeof next === 'object') {
      this.#waiting.delete(next);
      this.#options.onDepart?.(next.ticket, now - next.ticket.notBefore);
      next.depart();
      next = this.#choose(now);
    }
    this.#wakeAt(now + next);
  }

  /** The waiting entry to let leave now, or the milliseconds until one may. */
  #choose(now: number): Waiting | number {
    if (this.#onTheWire >= this.#options.concurrency) return Number.POSITIVE_INFINITY;
    const waits = new Map(this.#options.scopes.all.map(({ budget }) => [budget, budget.waitMs(now)]));
    let chosen: Waiting | undefined;
    let greatest = Number.NEGATIVE_INFINITY;
    let soonest = Number.POSITIVE_INFINITY;
    for (const entry of this.#waiting) {
      const { ticket } = entry;
      const wait = Math.max(
        waits.get(this.#options.scopes.of(ticket.group).budget) ?? 0,
        ticket.notBefore - now,
      );
      soonest = Math.min(soonest, wait);
      if (wait > 0) continue;
      const urgency = ticket.urgency(now);
      if (urgency <= greatest) continue;
      chosen = entry;
      greatest = urgency;
    }
    return chosen ?? soonest;
  }

  #leave({ group }: Ticket): () => void {
    const { budget } = this.#options.scopes.of(group);
    let over = false;
    budget.depart();
    this.#onTheWire += 1;
    return () => {
      if (over) return;
      over = true;
      budget.land();
      this.#onTheWire -= 1;
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

  /** Forgets the alarm, so that nothing keeps the process alive. */
  stop(): void {
    this.#wakeAt(Number.POSITIVE_INFINITY);
  }
}
