import type { PlatformClock, RateLimit } from '../platform/platform-clock.ts';
import type { AssumedLimit } from './assumed-limit.ts';
import {
  OtherClients,
  RateLimitWindow,
  reservedForOthers,
  WINDOW_MS,
  type WindowReading,
} from './rate-limit-window.ts';

export interface RateLimiterOptions {
  /** Operations per window while the platform names no limit: the configured number, or a guess that refusals correct. */
  readonly assumedLimit: number | AssumedLimit;
  /** Share of the limit (0 to 1) that is reserved for the token's other clients. */
  readonly reserve: number;
  /** True if other exporters of the account share this limit. Their operations do not count as other clients'. */
  readonly isPart?: boolean | undefined;
  readonly platformClock: PlatformClock;
}

/** Shortest stop (ms) after a 429; it doubles with each consecutive one, up to the length of a window. */
const SHORTEST_STOP_MS = 1_000;

/** Longest stop (ms) after a 429, even if `Retry-After` is longer; then a single request probes. */
const LONGEST_STOP_MS = 15 * 60_000;

/** Longest wait (ms) for the answer to a probe before another request may probe. */
const LONGEST_PROBE_MS = 3_000;

/**
 * State of one limit scope of one token, from its answers and the requests in flight; {@link decide} reads it. With rate limit
 * headers, the allowance is the remaining operations of the window. Requests in flight, and the reserve or the expected operations
 * of other clients, are subtracted. Without an open window, or after its last answer is stale, a single request probes first.
 * Without headers, at most the limit (known or assumed) is sent within the length of a window.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly others = new OtherClients();
  /** Newest window, open or closed; undefined before the first. */
  #window: RateLimitWindow | undefined;
  #windowMs = WINDOW_MS;
  #limit: number | undefined;
  /** Guessed limit, used while headers name none; undefined if the assumed limit is configured. */
  readonly #guessed: AssumedLimit | undefined;
  /** True if the last answer named the remaining operations; undefined before the first. */
  #saidRemaining: boolean | undefined;
  /** Times (local ms) of the answers within the length of a window, oldest first. */
  readonly #answeredAt: number[] = [];
  /** Time (local ms) until which a 429 stops the scope; 0 once a later answer has arrived. */
  #stoppedUntil = 0;
  #retryAt = 0;
  /** Number of consecutive 429 answers, without those to requests that were sent before the previous one arrived. */
  #refusals = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** Request whose answer will show the remaining operations; undefined for none. */
  #probe: { readonly sentAt: number } | undefined;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    const { assumedLimit } = options;
    this.#guessed = typeof assumedLimit === 'number' ? undefined : assumedLimit;
  }

  /** Limit that the platform named last, in operations per window; undefined if it named none. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Limit in use, in operations per window: the named one, or else the assumed one. */
  get limitInUse(): number {
    const { assumedLimit } = this.#options;
    return this.#limit ?? (typeof assumedLimit === 'number' ? assumedLimit : assumedLimit.each);
  }

  /** Guessed limit in operations per minute; undefined if the limit in use is not a guess. */
  get guessedPerMinute(): number | undefined {
    const guess = this.#guess;
    return guess && (guess.each * WINDOW_MS) / this.spanMs;
  }

  /** Operations per window that are reserved for the token's other clients. */
  get reserve(): number {
    return Math.ceil(this.limitInUse * this.#options.reserve);
  }

  /** Operations per window that this exporter may use if the token has no other clients. */
  get allowance(): number {
    return Math.max(1, this.limitInUse - this.reserve);
  }

  /** Length (ms) of windows. */
  get windowMs(): number {
    return this.#windowMs;
  }

  /** Time (ms) in which at most the allowance is sent while headers do not name the remaining operations. */
  get spanMs(): number {
    return WINDOW_MS * (this.#guess?.windows ?? 1);
  }

  /** Number of the exporter's requests without an answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** True if headers name the remaining operations, or may do so again after a 429. */
  get saysRemaining(): boolean {
    return this.#saidRemaining !== false || this.#stoppedUntil !== 0;
  }

  /** Operations per minute that this exporter may use if the token has no other clients. */
  get allowedPerMinute(): number {
    return this.#perMinuteBeside(this.reserve);
  }

  /** Operations per minute that this exporter may use beside the other clients that headers prove. */
  get perMinute(): number {
    return this.#perMinuteBeside(Math.max(this.reserve, this.others.perWindow(this.#window)));
  }

  /** Operations per minute that this exporter may use if other clients take more than usual. */
  get carefulPerMinute(): number {
    const expected = this.#windowMs * this.others.perMs(this.#window);
    return this.#perMinuteBeside(reservedForOthers(expected, this.reserve));
  }

  /** Operations per minute of the token's other clients that headers prove. */
  get othersPerMinute(): number {
    return (this.others.perWindow(this.#window) / this.#windowMs) * 60_000;
  }

  /** Reset that the platform named last (platform ms); undefined if it named none. */
  get resetAt(): number | undefined {
    return this.#window?.resetAt;
  }

  /** Returns the open window, as the platform described it last; undefined if none is open. */
  openWindow(now: number): RateLimitWindow | undefined {
    return this.#window?.isOpen(now) ? this.#window : undefined;
  }

  /** Returns the times (local ms) of answers after a time within {@link spanMs}, oldest first. */
  answeredSince(time: number): readonly number[] {
    return this.#answeredAt.filter((at) => at > time);
  }

  /** Time (local ms) until which other requests wait for the answer to a probe; 0 for none. */
  get awaitsProbeUntil(): number {
    // Unanswered probes alone could use up the allowance.
    if (this.#inFlight >= this.allowance) return Number.POSITIVE_INFINITY;
    return this.#probe === undefined ? 0 : this.#probe.sentAt + LONGEST_PROBE_MS;
  }

  /** Returns the time (local ms) until which the shared limit is used up; undefined if it is not. */
  usedUntil(now: number): number | undefined {
    const until = this.#guess?.usedUntil(now) ?? 0;
    return until > now ? until : undefined;
  }

  /** Returns the time (local ms) until which a 429 stops this scope; undefined if none does. */
  stoppedUntil(now: number): number | undefined {
    const until = Math.max(this.#stoppedUntil, this.#guess?.stoppedUntil ?? 0);
    return until > now ? until : undefined;
  }

  /** Returns the time (local ms) of a `Retry-After` that is later than {@link stoppedUntil}; undefined for none. */
  retryAt(now: number): number | undefined {
    return this.#retryAt > Math.max(now, this.#stoppedUntil) ? this.#retryAt : undefined;
  }

  /** Records that a request is sent. The caller must call the returned function once when it ends, whatever its outcome. */
  send(now: number): () => void {
    const probe = { sentAt: now };
    if (this.openWindow(now)?.isFresh(now) !== true) this.#probe = probe;
    this.#inFlight += 1;
    const over = this.#guessed?.send();
    return () => {
      this.#inFlight -= 1;
      over?.();
      if (this.#probe === probe) this.#probe = undefined;
    };
  }

  /** Records the answer to a request that was sent at `sentAt`. `rate` is undefined without rate limit headers. */
  observe(now: number, rate: RateLimit | undefined, sentAt = now): void {
    this.#refusals = 0;
    this.#guessed?.answered(this, now);
    this.#take(now, rate, sentAt, this.#inFlight <= 1 && this.#options.isPart !== true);
  }

  /**
   * Records a 429 to a request that was sent at `sentAt`. Nothing is sent until the first of these times that is known:
   * 1. The reset of a spent window: the only time at which the specification (section 8) promises that operations are
   *    allowed again. A longer `Retry-After` is usually the window length.
   * 2. `Retry-After`, unless it is 0 or past, which shows that the clocks disagree.
   * 3. The end of the open window, or else the length of a window.
   * A 429 does not prove other clients: a platform may refuse everything, whatever its headers say.
   */
  refuse(now: number, rate: RateLimit | undefined, retryAfterMs = 0, sentAt = now): void {
    this.#take(now, rate, sentAt, false);
    if (sentAt > this.#refusedAt) {
      this.#refusals += 1;
      this.#refusedAt = now;
    }
    const window = this.openWindow(now);
    const isSpent = window !== undefined && window.remaining <= 0;
    const isExplained = isSpent && window.isEndNamed(this.#options.platformClock);
    const endsIn = (window?.closesAt ?? now + WINDOW_MS) - now;
    const askedMs = isExplained || retryAfterMs === 0 ? endsIn : retryAfterMs;
    const leastMs = Math.min(SHORTEST_STOP_MS * 2 ** (this.#refusals - 1), WINDOW_MS);
    const stopMs = Math.min(Math.max(askedMs, leastMs), LONGEST_STOP_MS);
    this.#stoppedUntil = Math.max(this.#stoppedUntil, now + stopMs);
    this.#retryAt = now + askedMs;
    this.#guess?.refused(this, now, sentAt, this.#stoppedUntil);
  }

  #take(now: number, rate: RateLimit | undefined, sentAt: number, alone: boolean): void {
    // The array is reused: with thousands of answers per minute, copies were a fifth of all garbage.
    this.#answeredAt.push(now);
    while ((this.#answeredAt[0] ?? now) <= now - this.spanMs) this.#answeredAt.shift();
    if (this.#stoppedUntil <= now) this.#stoppedUntil = 0;
    this.#limit = rate?.limit ?? this.#limit;
    this.#saidRemaining = rate?.remaining !== undefined;
    const limit = this.#saidRemaining ? this.limitInUse : this.#limit;
    if (limit === undefined) return;
    const { platformClock } = this.#options;
    const isTimeKnown = platformClock.known;
    const resetsAt = rate?.resetAt === undefined ? undefined : platformClock.latestLocal(rate.resetAt);
    this.#read({ now, sentAt, limit, rate, resetsAt, isTimeKnown, alone });
  }

  /** Guess in use; undefined if headers name the limit, since refusals then concern the named limit. */
  get #guess(): AssumedLimit | undefined {
    return this.#limit === undefined ? this.#guessed : undefined;
  }

  #perMinuteBeside(reserved: number): number {
    const spanMs = (this.#windowMs * this.spanMs) / WINDOW_MS;
    return (Math.max(1, this.limitInUse - reserved) * 60_000) / spanMs;
  }

  /** Updates the open window from an answer, or begins a new one. */
  #read(reading: WindowReading): void {
    const relation = this.#window?.relation(reading) ?? 'later';
    if (relation === 'past') return;
    this.#probe = undefined;
    const window = relation === 'later' ? this.#begin(reading) : this.#window;
    if (relation === 'longer') window?.prolong(reading.now);
    if (relation === 'other') window?.limitTo(reading.rate?.remaining);
    else window?.take(reading);
  }

  #begin(reading: WindowReading): RateLimitWindow {
    const { now, limit, rate } = reading;
    const before = this.#window;
    if (before !== undefined) this.others.remember(before);
    const window = new RateLimitWindow(reading, this.#windowMs);
    // The exporter's own request opened the window, so this is its full length.
    if (rate?.remaining === limit - 1) this.#windowMs = window.closesAt - now;
    this.#window = window;
    return window;
  }
}
