import type { PlatformClock } from '../platform/platform-clock.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RefusedToken } from './limit-scopes.ts';
import type { RateLimiter } from './limiter.ts';
import { type RateLimitWindow, reservedForOthers, withScatter } from './rate-limit-window.ts';

/** Request in the queue. Times are local ms. */
export interface QueuedRequest {
  /** Group of its operation, which decides the limit scope. */
  readonly group: string;
  /** Earliest time at which it may be sent. */
  readonly notBefore: number;
  /** Weight relative to other requests. */
  readonly weight: number;
  /** Time from which the age of its data counts. The greatest product of weight and age is sent first. */
  readonly since: number;
  /** Returns the planned interval (ms) of its job. Until its data reaches that age, the request may wait for the next bucket. */
  plannedIntervalMs(): number;
}

/**
 * Reasons why a request may not be sent now:
 * - `unauthorized`: the platform refuses the token; one request at a time probes it
 * - `rate_limited`: the platform has answered 429
 * - `probe`: the answer to a request in flight must first show the remaining operations of the window
 * - `spent`: the window is used up
 * - `reserved`: the rest of the window is reserved for the token's other clients
 * - `pacing`: it returns fresher data after the platform's next bucket has closed
 * - `connections`: the number of requests in flight has reached the concurrency limit
 */
export type WaitReason =
  | 'unauthorized'
  | 'rate_limited'
  | 'probe'
  | 'spent'
  | 'reserved'
  | 'pacing'
  | 'connections';

/** Number of requests that may be sent now, and the wait reason if there is none. */
export interface Decision {
  readonly free: number;
  /** Wait reason; undefined if `free` is not 0. */
  readonly why: WaitReason | undefined;
  /** Time (local ms) of the next decision; Infinity if only an answer can change this one. */
  readonly until: number;
}

/** Everything that the requests of one limit scope may wait for. */
export interface Limits {
  readonly token: RefusedToken;
  readonly limiter: RateLimiter;
  readonly concurrency: ConcurrencyLimit;
  readonly platformClock: PlatformClock;
}

const MINUTE_MS = 60_000;

/** Share of a window after which it is probed again while there may be other clients; a larger reserve replaces it. */
const PROBED_SHARE = 0.1;

/** Share of the limit that other clients take in the assumed worst case, while a probe is overdue. */
const WORST_CASE_SHARE = 0.6;

/**
 * Returns a function that decides if a request of a scope may be sent at `now` (local ms), or why and until when it waits. Only
 * this function decides, and it changes nothing. The common part is computed once for all requests.
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

/** Returns the number of requests that the limit allows now. If one must probe first, the others wait for its answer. */
export function allowanceOf(limiter: RateLimiter, now: number): Decision {
  const stoppedUntil = limiter.stoppedUntil(now);
  if (stoppedUntil !== undefined) return wait('rate_limited', stoppedUntil);
  const usedUntil = limiter.usedUntil(now);
  if (usedUntil !== undefined) return wait('spent', usedUntil);
  if (!limiter.saysRemaining) return allowanceWithoutHeaders(limiter, now);
  const window = limiter.openWindow(now);
  // A shared limit gives an account that is refused repeatedly no more than any other account.
  const share =
    limiter.guessedPerMinute !== undefined && !window ? allowanceWithoutHeaders(limiter, now) : undefined;
  if (share?.free === 0) return share;
  const free = window === undefined ? 1 : allowedIn(window, limiter, now);
  if (window !== undefined && free === 0) return notYet(window, limiter, now);
  const probedUntil = limiter.awaitsProbeUntil;
  if (probedUntil > now) return wait('probe', Math.min(probedUntil, window?.closesAt ?? probedUntil));
  return send(free, now);
}

/** Returns the allowance from the answers within the last window length, which is safe wherever the platform's window begins. */
function allowanceWithoutHeaders(limiter: RateLimiter, now: number): Decision {
  const { allowance, inFlight, reserve, spanMs } = limiter;
  const answered = limiter.answeredSince(now - spanMs);
  const remaining = allowance - answered.length;
  if (remaining > inFlight) return send(remaining - inFlight, now);
  const until = (answered[0] ?? Number.POSITIVE_INFINITY) + spanMs;
  if (remaining > 0) return wait('probe', until);
  return wait(reserve > 0 ? 'reserved' : 'spent', until);
}

/** Returns the number of requests that may be sent within an open window. */
function allowedIn(window: RateLimitWindow, limiter: RateLimiter, now: number): number {
  const { others, inFlight, reserve } = limiter;
  const remaining = window.remaining - inFlight;
  const ageMs = now - window.seenAt;
  const perMs = others.perMs(window);
  const reserved = reservedForOthers((window.closesAt - now) * perMs, reserve);
  const expected = Math.max(0, Math.floor(remaining - ageMs * perMs - reserved));
  // With short windows, a probe may be due before an answer is stale.
  if (window.isFresh(now)) return expected;
  // Without a recent answer, other clients may have used the rest, or a new window may have begun.
  if (remaining - worstCase(window, limiter, ageMs) < 1) return 0;
  return Math.max(ageMs >= probeEveryMs(window, limiter) && remaining > reserve ? 1 : 0, expected);
}

/** Returns the operations that observed clients took since a probe became overdue, in the assumed worst case. */
function worstCase(window: RateLimitWindow, limiter: RateLimiter, ageMs: number): number {
  const { others, limitInUse, windowMs } = limiter;
  if (!others.observed(window) || ageMs <= probeEveryMs(window, limiter)) return 0;
  return withScatter((ageMs / windowMs) * WORST_CASE_SHARE * limitInUse);
}

/** Returns the decision to wait until the window closes or is probed again. */
function notYet(window: RateLimitWindow, limiter: RateLimiter, now: number): Decision {
  const remaining = window.remaining - limiter.inFlight;
  const probeAt = window.seenAt + probeEveryMs(window, limiter);
  const probes = probeAt > now && remaining > limiter.reserve;
  return wait(remaining < 1 ? 'spent' : 'reserved', Math.min(probes ? probeAt : Infinity, window.closesAt));
}

/** Returns the interval (ms) of probes, short enough that other clients cannot take the reserve meanwhile; Infinity for none. */
function probeEveryMs(
  window: RateLimitWindow,
  { others, reserve, limitInUse, windowMs }: RateLimiter,
): number {
  if (!others.possible(window)) return Number.POSITIVE_INFINITY;
  return Math.max(PROBED_SHARE, reserve / limitInUse) * windowMs;
}

/**
 * Returns the time (local ms) until which allowed requests wait for the next bucket; 0 for no wait. A request right after a bucket
 * closes returns data that is a minute fresher than one right before. So requests wait that can still be sent between that time
 * and the end of the window, unless a probe is due.
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

/** Returns true if waiting for the next bucket would make a request later than planned. */
function wouldBeLate({ since, plannedIntervalMs }: QueuedRequest, bucketClosesAt: number): boolean {
  return bucketClosesAt - since > Math.ceil(plannedIntervalMs() / MINUTE_MS) * MINUTE_MS;
}

function send(free: number, now: number): Decision {
  return { free, why: undefined, until: now };
}

function wait(why: WaitReason, until: number): Decision {
  return { free: 0, why, until };
}
