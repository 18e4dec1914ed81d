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
  /** Operations per window while the platform names no limit: what an operator has set, or a guess that refusals correct. */
  readonly assumedLimit: number | AssumedLimit;
  /** Share of the limit (0 to 1) that is left to the token's other clients. */
  readonly reserve: number;
  /** True if other exporters of the account use the rest of this limit: their operations do not count as other clients'. */
  readonly isPart?: boolean | undefined;
  readonly platformClock: PlatformClock;
}

/** Shortest stop (ms) after a 429; each further one in a row doubles it, up to a window. */
const SHORTEST_STOP_MS = 1_000;

/** Longest stop (ms) after a 429, whatever `Retry-After` asks for; then a single request probes. */
const LONGEST_STOP_MS = 15 * 60_000;

/** Longest wait (ms) for the answer to a probe before another request may probe. */
const LONGEST_PROBE_MS = 3_000;

/**
 * One limit scope of one token, as its answers show it, and what is in flight: {@link decide} decides by it.
 *
 * With rate limit headers the allowance is what remains of the window, less what is in flight, less the reserve or what other
 * clients are expected to take until the window closes. When no window is open, or its last answer is old, a single request
 * probes first, since only an answer shows what others have taken. Without headers, no more than the limit (known or assumed)
 * leaves within the length of a window.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly others = new OtherClients();
  /** The newest window, open or not. */
  #window: RateLimitWindow | undefined;
  #windowMs = WINDOW_MS;
  #limit: number | undefined;
  /** Guess where headers name no limit. */
  readonly #guessed: AssumedLimit | undefined;
  /** True if the last answer said what remains; undefined before the first. */
  #saidRemaining: boolean | undefined;
  /** Times (local ms) of the answers within a window's length, oldest first. */
  readonly #answeredAt: number[] = [];
  /** Time until which a 429 stops; not 0 until something was answered after that. */
  #stoppedUntil = 0;
  #retryAt = 0;
  /** 429 answers in a row; those to requests that left before the last one arrived do not count. */
  #refusals = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** The request whose answer will show what is left. */
  #probe: { readonly sentAt: number } | undefined;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    const { assumedLimit } = options;
    this.#guessed = typeof assumedLimit === 'number' ? undefined : assumedLimit;
  }

  /** The limit that the platform named last, in operations per window. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Operations per window, as the platform named them or as assumed. */
  get limitInUse(): number {
    const { assumedLimit } = this.#options;
    return this.#limit ?? (typeof assumedLimit === 'number' ? assumedLimit : assumedLimit.each);
  }

  /** Operations per minute, where the limit in use is a guess that refusals correct; undefined where it is none. */
  get guessedPerMinute(): number | undefined {
    const guess = this.#guess;
    return guess && (guess.each * WINDOW_MS) / this.spanMs;
  }

  /** Operations per window that are left to the token's other clients. */
  get reserve(): number {
    return Math.ceil(this.limitInUse * this.#options.reserve);
  }

  /** Operations per window that this exporter may use when the token has no other clients. */
  get allowance(): number {
    return Math.max(1, this.limitInUse - this.reserve);
  }

  /** Length (ms) of windows. */
  get windowMs(): number {
    return this.#windowMs;
  }

  /** Time (ms) in which no more than the allowance leaves where no header says what remains. */
  get spanMs(): number {
    return WINDOW_MS * (this.#guess?.windows ?? 1);
  }

  /** Requests of ours that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** True if headers say what remains, or may do so again once something is answered after a 429. */
  get saysRemaining(): boolean {
    return this.#saidRemaining !== false || this.#stoppedUntil !== 0;
  }

  /** Operations per minute that this exporter may use when the token has no other clients. */
  get allowedPerMinute(): number {
    return this.#perMinuteBeside(this.reserve);
  }

  /** Operations per minute that this exporter may use beside the token's other clients, as far as headers prove them. */
  get perMinute(): number {
    return this.#perMinuteBeside(Math.max(this.reserve, this.others.perWindow(this.#window)));
  }

  /** Like `perMinute`, on a day when other clients take more than usual. */
  get carefulPerMinute(): number {
    const expected = this.#windowMs * this.others.perMs(this.#window);
    return this.#perMinuteBeside(reservedForOthers(expected, this.reserve));
  }

  /** Operations per minute that the token's other clients take, as far as headers prove. */
  get othersPerMinute(): number {
    return (this.others.perWindow(this.#window) / this.#windowMs) * 60_000;
  }

  /** The reset that the platform named last (platform ms). */
  get resetAt(): number | undefined {
    return this.#window?.resetAt;
  }

  /** Returns the window that is open, as the platform described it last; undefined when none is. */
  openWindow(now: number): RateLimitWindow | undefined {
    return this.#window?.isOpen(now) ? this.#window : undefined;
  }

  /** Returns when answers came (local ms) within {@link spanMs}, oldest first. */
  answeredSince(time: number): readonly number[] {
    return this.#answeredAt.filter((at) => at > time);
  }

  /** Time (local ms) until which others wait for the answer to a probe; 0 for none. */
  get awaitsProbeUntil(): number {
    // Unanswered probes alone could use up the allowance.
    if (this.#inFlight >= this.allowance) return Number.POSITIVE_INFINITY;
    return this.#probe === undefined ? 0 : this.#probe.sentAt + LONGEST_PROBE_MS;
  }

  /** Returns until when (local ms) those who share the limit have used all of it, or undefined. */
  usedUntil(now: number): number | undefined {
    const until = this.#guess?.usedUntil(now) ?? 0;
    return until > now ? until : undefined;
  }

  /** Returns until when a 429 has stopped this scope (local ms), or undefined. */
  stoppedUntil(now: number): number | undefined {
    const until = Math.max(this.#stoppedUntil, this.#guess?.stoppedUntil ?? 0);
    return until > now ? until : undefined;
  }

  /** Returns until when the platform asked to wait by a `Retry-After` beyond {@link stoppedUntil} (local ms), or undefined. */
  retryAt(now: number): number | undefined {
    return this.#retryAt > Math.max(now, this.#stoppedUntil) ? this.#retryAt : undefined;
  }

  /** A request leaves. The function returned must be called once when it is over, whatever came of it. */
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

  /** A request that left at `sentAt` was answered. `rate` is undefined if the answer had no rate limit headers. */
  observe(now: number, rate: RateLimit | undefined, sentAt = now): void {
    this.#refusals = 0;
    this.#guessed?.answered(this, now);
    this.#take(now, rate, sentAt, this.#inFlight <= 1 && this.#options.isPart !== true);
  }

  /**
   * A request that left at `sentAt` was answered with 429. Nothing leaves until the first of these that is known:
   * 1. The reset of a spent window: the only moment at which the specification (section 8) promises that operations are
   *    allowed again. A longer `Retry-After` beside it tends to be the length of the window.
   * 2. `Retry-After`, unless it is 0 or over: that is a clock that disagrees, and no permission to go on at once.
   * 3. The end of the window that is open, whatever is left of it, or else a whole window.
   * A 429 is no proof of other clients: a platform may refuse everything, whatever its headers say.
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
    // The same array: with thousands of answers a minute, copies were a fifth of all garbage.
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

  /** The guess, unless headers name its own limit: then refusals are of that one. */
  get #guess(): AssumedLimit | undefined {
    return this.#limit === undefined ? this.#guessed : undefined;
  }

  #perMinuteBeside(reserved: number): number {
    const spanMs = (this.#windowMs * this.spanMs) / WINDOW_MS;
    return (Math.max(1, this.limitInUse - reserved) * 60_000) / spanMs;
  }

  /** Updates the open window by an answer, or begins a new one. */
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
    // Our own request opened the window, so this is its full length.
    if (rate?.remaining === limit - 1) this.#windowMs = window.closesAt - now;
    this.#window = window;
    return window;
  }
}
