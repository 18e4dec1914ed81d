import { type Decision, send, wait } from './decision.ts';
import { type OtherClients, reservedForOthers, withScatter } from './other-clients.ts';
import type { RateLimitWindow } from './rate-limit-window.ts';

/** Share of a window after which it is probed again while there are other clients, unless the reserve is larger. */
const LEAST_PROBE_SHARE = 0.1;

/** Share of the limit that observed other clients take, in the assumed worst case, of a window that was not probed for long. */
const WORST_CASE_SHARE = 0.6;

/** What is known of an open window and of those who draw on it. */
export interface AllowanceFacts {
  readonly window: RateLimitWindow;
  readonly others: OtherClients;
  /** How long windows last (ms). */
  readonly windowMs: number;
  /** Operations per window. */
  readonly limit: number;
  /** Operations per window that are left to the token's other clients. */
  readonly reserve: number;
  /** Requests of ours that are not answered yet. */
  readonly inFlight: number;
}

/** What may still leave within an open window. */
export function allowanceOf(facts: AllowanceFacts, now: number): Decision {
  const { window, inFlight, reserve } = facts;
  const free = window.isFresh(now) ? expectedLeft(facts, now) : leftUnseen(facts, now);
  if (free > 0) return send(free, now);
  const left = window.remaining - inFlight;
  const probeAt = window.seenAt + probeEveryMs(facts);
  const mayProbe = probeAt > now && left > reserve;
  return wait(left < 1 ? 'spent' : 'reserved', Math.min(mayProbe ? probeAt : Infinity, window.closesAt));
}

/** While there may be other clients, a window is not left unseen for longer than they could take the reserve in. */
export function probeEveryMs({
  window,
  others,
  windowMs,
  limit,
  reserve,
}: Omit<AllowanceFacts, 'inFlight'>): number {
  if (!others.possible(window)) return Number.POSITIVE_INFINITY;
  return Math.max(LEAST_PROBE_SHARE, reserve / limit) * windowMs;
}

/** What is left when other clients go on as expected. */
function expectedLeft({ window, others, inFlight, reserve }: AllowanceFacts, now: number): number {
  const perMs = others.perMs(window);
  const unseen = (now - window.seenAt) * perMs;
  const reserved = reservedForOthers((window.closesAt - now) * perMs, reserve);
  return Math.max(0, Math.floor(window.remaining - unseen - inFlight - reserved));
}

/** After a while without an answer, what was free may be gone, and what was not may have become so. */
function leftUnseen(facts: AllowanceFacts, now: number): number {
  const { window, others, windowMs, limit, inFlight, reserve } = facts;
  const unseenMs = now - window.seenAt;
  const everyMs = probeEveryMs(facts);
  const overdue = others.observed(window) && unseenMs > everyMs;
  const blind = overdue ? withScatter((unseenMs / windowMs) * WORST_CASE_SHARE * limit) : 0;
  const left = window.remaining - inFlight - Math.max(blind, others.worstCase(window, unseenMs));
  if (left < 1) return 0;
  return Math.max(unseenMs >= everyMs && left > reserve ? 1 : 0, expectedLeft(facts, now));
}
