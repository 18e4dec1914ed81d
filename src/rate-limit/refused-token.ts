import { type Decision, send, wait } from './decision.ts';

/** After a refusal the next request leaves this much later, then twice as much, and so on. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 60_000;

/**
 * Keeps a refused token (401) from being tried by everything that waits: single requests probe, at ever longer intervals
 * of up to a minute, until one is accepted. The platform may refuse a token for one resource only: so the first waits
 * are short, and the probes are of different kinds.
 */
export class RefusedToken {
  /** Until the next probe; 0 while the token is not refused. */
  #waitMs = 0;
  #probeAt = 0;
  #probes = 0;

  /** How many requests may leave as far as the token is concerned; undefined while it is not refused. */
  decide(now: number): Decision | undefined {
    if (this.#waitMs === 0) return undefined;
    return this.#probeAt > now ? wait('unauthorized', this.#probeAt) : send(1, now);
  }

  /** Which of those that may leave does: the first, or while the token is refused each in turn. */
  choose<T>(candidates: readonly T[]): T | undefined {
    return candidates[this.#waitMs === 0 ? 0 : this.#probes % candidates.length];
  }

  /** A request leaves. */
  send(now: number): void {
    if (this.#waitMs === 0) return;
    this.#probes += 1;
    this.#probeAt = now + this.#waitMs;
    this.#waitMs = Math.min(LONGEST_WAIT_MS, 2 * this.#waitMs);
  }

  /** An answer with this HTTP status came. */
  observe(now: number, status: number): void {
    if (status < 500 && status !== 401) this.#waitMs = 0;
    if (status !== 401 || this.#waitMs > 0) return;
    this.#waitMs = FIRST_WAIT_MS;
    this.send(now);
  }

  /** There is another token: a probe may leave at once. */
  renew(): void {
    this.#probeAt = 0;
  }
}
