import type { PlatformClock } from '../platform/platform-clock.ts';
import type { RateLimit } from '../platform/rate-limit-headers.ts';
import {
  OtherClients,
  RateLimitWindow,
  reservedForOthers,
  WINDOW_MS,
  type WindowReading,
} from './rate-limit-window.ts';

export interface RateLimiterOptions {
  /** Share of the limit (0 to 1) that is left to the token's other clients. */
  readonly reserve: number;
  /** Operations per window while the platform names no limit. */
  readonly assumedLimit: number;
  readonly platformClock: PlatformClock;
}

/** A 429 stops for at least this long, even when its hint lies in the past. */
const SHORTEST_STOP_MS = 1_000;

/** A 429 stops for at most this long, whatever `Retry-After` asks: then a single request probes. */
const LONGEST_STOP_MS = 15 * 60_000;

/** How long the answer to a probe is waited for; after that another request may probe. */
const LONGEST_PROBE_MS = 3_000;

/**
 * What the answers told of one limit scope of one token, and what is in flight: by it {@link decide} says what may leave.
 *
 * Where the platform's headers tell, they steer: what remains in the window, less what is in flight, less the reserve
 * or what the token's other clients are expected to take until the window closes. When no window is open, or its last
 * answer is old, a single request goes first, as a probe: only its answer tells what others have taken. Without
 * headers, no more than the limit known or assumed leaves within the time of any window.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly others = new OtherClients();
  /** The newest window, open or not. */
  #window: RateLimitWindow | undefined;
  #windowMs = WINDOW_MS;
  #limit: number | undefined;
  /** Whether the last answer told what remains; undefined before the first. */
  #toldRemaining: boolean | undefined;
  /** When the answers of the last window's time came (local ms), oldest first. */
  readonly #answeredAt: number[] = [];
  /** Until when a 429 stops; not 0 until something was answered after that. */
  #stoppedUntil = 0;
  #retryAt = 0;
  #inFlight = 0;
  /** The request whose answer tells what is left. */
  #probe: { readonly sentAt: number } | undefined;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** The limit that the platform named last, in operations per window. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Operations per window, as the platform named them or as assumed. */
  get limitInUse(): number {
    return this.#limit ?? this.#options.assumedLimit;
  }

  /** Operations per window that are left to the token's other clients. */
  get reserve(): number {
    return Math.ceil(this.limitInUse * this.#options.reserve);
  }

  /** Operations per window that this exporter may use when the token has no other clients. */
  get allowance(): number {
    return Math.max(1, this.limitInUse - this.reserve);
  }

  /** How long (ms) windows last. */
  get windowMs(): number {
    return this.#windowMs;
  }

  /** Requests of ours that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether the platform's headers tell what remains, or may do so once something is answered after a 429. */
  get isTold(): boolean {
    return this.#toldRemaining !== false || this.#stoppedUntil !== 0;
  }

  /** Operations per minute that this exporter may expect beside the token's other clients. */
  get perMinute(): number {
    const reserved = reservedForOthers(this.#windowMs * this.others.perMs(this.#window), this.reserve);
    return (Math.max(1, this.limitInUse - reserved) * 60_000) / this.#windowMs;
  }

  /** Operations per minute that the token's other clients take, as far as observed. */
  get othersPerMinute(): number {
    return this.others.perMs(this.#window) * 60_000;
  }

  /** The reset that the platform named last (platform ms). */
  get resetAt(): number | undefined {
    return this.#window?.resetAt;
  }

  /** The window that is open, as the platform told of it last; undefined when none is. */
  openWindow(now: number): RateLimitWindow | undefined {
    return this.#window?.isOpen(now) ? this.#window : undefined;
  }

  /** What the platform said remains of the window, or undefined when none is open. */
  remaining(now: number): number | undefined {
    return this.openWindow(now)?.remaining;
  }

  /** When the open window closes (local ms), or undefined when none is open. */
  closesAt(now: number): number | undefined {
    return this.openWindow(now)?.closesAt;
  }

  /** When answers came (local ms) within the time of a window, oldest first. */
  answeredSince(time: number): readonly number[] {
    return this.#answeredAt.filter((at) => at > time);
  }

  /** Until when (local ms) the answer to a request in flight is waited for, since it tells what is left; 0 for none. */
  get awaitsProbeUntil(): number {
    // Without a limit on those that are not answered, probes alone could use it up.
    if (this.#inFlight >= this.allowance) return Number.POSITIVE_INFINITY;
    return this.#probedUntil;
  }

  /** Until when a 429 has stopped this scope (local ms), or undefined. */
  stoppedUntil(now: number): number | undefined {
    return this.#stoppedUntil > now ? this.#stoppedUntil : undefined;
  }

  /** Until when the platform asked to wait by a `Retry-After` beyond {@link stoppedUntil} (local ms), or undefined. */
  retryAt(now: number): number | undefined {
    return this.#retryAt > Math.max(now, this.#stoppedUntil) ? this.#retryAt : undefined;
  }

  /** A request leaves. The function returned must be called when it is over, whatever came of it. */
  send(now: number): () => void {
    const probe = { sentAt: now };
    if (this.#probedUntil <= now && this.openWindow(now)?.isFresh(now) !== true) this.#probe = probe;
    this.#inFlight += 1;
    return () => {
      this.#inFlight -= 1;
      if (this.#probe === probe) this.#probe = undefined;
    };
  }

  /** A request that left at `sentAt` was answered. `rate` is what the headers said, undefined when there were none. */
  observe(now: number, rate: RateLimit | undefined, sentAt = now): void {
    // The same array: with thousands of answers a minute a copy for each is a fifth of all garbage.
    this.#answeredAt.push(now);
    while ((this.#answeredAt[0] ?? now) <= now - WINDOW_MS) this.#answeredAt.shift();
    if (this.#stoppedUntil <= now) this.#stoppedUntil = 0;
    this.#limit = rate?.limit ?? this.#limit;
    this.#toldRemaining = rate?.remaining !== undefined;
    const limit = this.#toldRemaining ? this.limitInUse : this.#limit;
    if (limit === undefined) return;
    this.#read({ now, sentAt, limit, rate, alone: this.#inFlight <= 1 });
  }

  /** A 429: nothing leaves until `retryAfterMs` has passed, or the window closes, or a whole window when neither is known. */
  stop(now: number, retryAfterMs: number | undefined): void {
    const asked = retryAfterMs ?? (this.closesAt(now) ?? now + WINDOW_MS) - now;
    const stopMs = Math.min(Math.max(asked, SHORTEST_STOP_MS), LONGEST_STOP_MS);
    this.#stoppedUntil = Math.max(this.#stoppedUntil, now + stopMs);
    this.#retryAt = now + asked;
  }

  /** Until when the answer to a probe is waited for (local ms). */
  get #probedUntil(): number {
    return this.#probe === undefined ? 0 : this.#probe.sentAt + LONGEST_PROBE_MS;
  }

  /** What an answer says of the window that is open, or has just begun. */
  #read(reading: WindowReading): void {
    const { platformClock } = this.#options;
    const relation = this.#window?.relation(reading, platformClock) ?? 'later';
    if (relation === 'past') return;
    this.#probe = undefined;
    const window = relation === 'later' ? this.#begin(reading) : this.#window;
    if (relation === 'longer') window?.prolong(reading.now);
    if (relation === 'other') window?.limitTo(reading.rate?.remaining);
    else window?.take(reading, platformClock);
  }

  #begin(reading: WindowReading): RateLimitWindow {
    const { now, limit, rate } = reading;
    const { platformClock } = this.#options;
    const before = this.#window;
    if (before !== undefined) this.others.remember(before);
    const window = new RateLimitWindow(reading, platformClock, this.#windowMs);
    // We opened the window ourselves, so that all of it lies ahead.
    if (platformClock.known && rate?.remaining === limit - 1) this.#windowMs = window.closesAt - now;
    this.#window = window;
    return window;
  }
}
