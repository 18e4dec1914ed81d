import type { PlatformClock } from '../platform/platform-clock.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RefusedToken } from './limit-scopes.ts';
import type { RateLimiter } from './limiter.ts';
import { type RateLimitWindow, reservedForOthers, withScatter } from './rate-limit-window.ts';

/** A request that waits for its turn. Times are local ms. */
export interface QueuedRequest {
  /** The group of operations it belongs to, which decides its limit scope. */
  readonly group: string;
  /** Before then it must not leave. */
  readonly notBefore: number;
  /** Weight relative to the others. */
  readonly weight: number;
  /** Time since when its data has been ageing: the greatest weight times age leaves first. */
  readonly since: number;
  /** Age (ms) at which the plan polls it. Until then it may wait for a moment that brings fresher data. */
  plannedIntervalMs(): number;
}

/**
 * Why a request may not leave now:
 * - `unauthorized`: the platform refuses the token; one request at a time probes whether it still does
 * - `rate_limited`: the platform has answered 429
 * - `probe`: the answer to a request in flight must first show what is left of the rate-limit window
 * - `spent`: nothing is left of the window
 * - `reserved`: what is left of the window is for the token's other clients
 * - `pacing`: it brings fresher data after the platform's next bucket has closed
 * - `connections`: as many requests are in flight as the concurrency limit allows
 */
export type WaitReason =
  | 'unauthorized'
  | 'rate_limited'
  | 'probe'
  | 'spent'
  | 'reserved'
  | 'pacing'
  | 'connections';

/** Number of requests that may leave now, and why not more. */
export interface Decision {
  readonly free: number;
  /** Undefined where `free` is not 0. */
  readonly why: WaitReason | undefined;
  /** Time (local ms) to decide again; Infinity if only an answer can change it. */
  readonly until: number;
}

/** All that the requests of one limit scope may wait for. */
export interface Limits {
  readonly token: RefusedToken;
  readonly limiter: RateLimiter;
  readonly concurrency: ConcurrencyLimit;
  readonly platformClock: PlatformClock;
}

const MINUTE_MS = 60_000;

/** Share of a window after which it is probed again while there may be other clients, unless the reserve is larger. */
const PROBED_SHARE = 0.1;

/** Share of the limit that other clients are assumed to take, at worst, while a probe is overdue. */
const WORST_CASE_SHARE = 0.6;

/**
 * Returns what decides if a request of a scope may leave now (local ms), or else the first reason and until when. Nothing
 * else decides this; it changes nothing. What is the same for all requests is decided once.
 */
export function decide(limits: Limits, now: number): (request: QueuedRequest) => Decision {
  const { token, limiter, concurrency, platformClock } = limits;
  const allowance = token.probeAt > now ? wait('unauthorized', token.probeAt) : allowanceOf(limiter, now);
  if (allowance.free === 0) return () => allowance;
  const bucketClosesAt = platformClock.nextMinute(now);
  const pacedUntil = pacing(limiter, allowance.free, concurrency.throughput, bucketClosesAt, now);
  return (request) => {
    if (pacedUntil > now && !wouldBeLate(request, bucketClosesAt)) return wait('pacing', pacedUntil);
    return concurrency.admits(request.group) ? send(1, now) : wait('connections', Number.POSITIVE_INFINITY);
  };
}

/** Returns how many requests the limit allows now; where one must probe first, the others wait for its answer. */
export function allowanceOf(limiter: RateLimiter, now: number): Decision {
  const stoppedUntil = limiter.stoppedUntil(now);
  if (stoppedUntil !== undefined) return wait('rate_limited', stoppedUntil);
  const usedUntil = limiter.usedUntil(now);
  if (usedUntil !== undefined) return wait('spent', usedUntil);
  if (!limiter.saysRemaining) return allowanceWithoutHeaders(limiter, now);
  const window = limiter.openWindow(now);
  // An account that is refused again and again gets no more of a shared limit than any other.
  const share =
    limiter.guessedPerMinute !== undefined && !window ? allowanceWithoutHeaders(limiter, now) : undefined;
  if (share?.free === 0) return share;
  const free = window === undefined ? 1 : allowedIn(window, limiter, now);
  if (window !== undefined && free === 0) return notYet(window, limiter, now);
  const probedUntil = limiter.awaitsProbeUntil;
  if (probedUntil > now) return wait('probe', Math.min(probedUntil, window?.closesAt ?? probedUntil));
  return send(free, now);
}

/** Counts the answers of the last window length, which is safe wherever the platform's window begins. */
function allowanceWithoutHeaders(limiter: RateLimiter, now: number): Decision {
  const { allowance, inFlight, reserve, spanMs } = limiter;
  const answered = limiter.answeredSince(now - spanMs);
  const remaining = allowance - answered.length;
  if (remaining > inFlight) return send(remaining - inFlight, now);
  const until = (answered[0] ?? Number.POSITIVE_INFINITY) + spanMs;
  if (remaining > 0) return wait('probe', until);
  return wait(reserve > 0 ? 'reserved' : 'spent', until);
}

/** Returns how many requests may leave within an open window. */
function allowedIn(window: RateLimitWindow, limiter: RateLimiter, now: number): number {
  const { others, inFlight, reserve } = limiter;
  const remaining = window.remaining - inFlight;
  const ageMs = now - window.seenAt;
  const perMs = others.perMs(window);
  const reserved = reservedForOthers((window.closesAt - now) * perMs, reserve);
  const expected = Math.max(0, Math.floor(remaining - ageMs * perMs - reserved));
  // Where windows are short, a probe may be due sooner than an answer is old.
  if (window.isFresh(now)) return expected;
  // Without a recent answer, others may have taken what was left, or the window may have reopened.
  if (remaining - worstCase(window, limiter, ageMs) < 1) return 0;
  return Math.max(ageMs >= probeEveryMs(window, limiter) && remaining > reserve ? 1 : 0, expected);
}

/** Returns how many operations observed other clients have taken since a probe became overdue, in the assumed worst case. */
function worstCase(window: RateLimitWindow, limiter: RateLimiter, ageMs: number): number {
  const { others, limitInUse, windowMs } = limiter;
  if (!others.observed(window) || ageMs <= probeEveryMs(window, limiter)) return 0;
  return withScatter((ageMs / windowMs) * WORST_CASE_SHARE * limitInUse);
}

/** Nothing leaves until the window closes or is probed again. */
function notYet(window: RateLimitWindow, limiter: RateLimiter, now: number): Decision {
  const remaining = window.remaining - limiter.inFlight;
  const probeAt = window.seenAt + probeEveryMs(window, limiter);
  const probes = probeAt > now && remaining > limiter.reserve;
  return wait(remaining < 1 ? 'spent' : 'reserved', Math.min(probes ? probeAt : Infinity, window.closesAt));
}

/** While there may be other clients, a window is probed before they could have taken the reserve. */
function probeEveryMs(
  window: RateLimitWindow,
  { others, reserve, limitInUse, windowMs }: RateLimiter,
): number {
  if (!others.possible(window)) return Number.POSITIVE_INFINITY;
  return Math.max(PROBED_SHARE, reserve / limitInUse) * windowMs;
}

/**
 * Returns until when (local ms) allowed requests wait for the next bucket; 0 for no wait. A request right after a bucket closes
 * brings data that is a minute fresher than one right before, so whatever can still be sent between that and the end of the
 * window waits, unless a probe is due.
 */
function pacing(
  limiter: RateLimiter,
  free: number,
  throughput: number,
  bucketClosesAt: number,
  now: number,
): number {
  const window = limiter.openWindow(now);
  if (window === undefined) return 0;
  const forBucket = (window.closesAt - bucketClosesAt) * throughput;
  return free > forBucket ? 0 : Math.min(window.seenAt + probeEveryMs(window, limiter), bucketClosesAt);
}

/** Returns true if a request would be later than planned if it waited for the next bucket. */
function wouldBeLate({ since, plannedIntervalMs }: QueuedRequest, bucketClosesAt: number): boolean {
  return bucketClosesAt - since > Math.ceil(plannedIntervalMs() / MINUTE_MS) * MINUTE_MS;
}

function send(free: number, now: number): Decision {
  return { free, why: undefined, until: now };
}

function wait(why: WaitReason, until: number): Decision {
  return { free: 0, why, until };
}
