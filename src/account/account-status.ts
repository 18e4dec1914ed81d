import { type Clock, wallAt } from '../clock.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { AccountStatus, QuotaStatus } from '../status.ts';
import { isoTime, jobStatuses, type LocalTime } from './job-status.ts';
import type { AccountView } from './view.ts';

/** An account as the status page shows it: by the machine's clock as it is set now. */
export function accountStatus(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): AccountStatus {
  const now = clock.now();
  const time: LocalTime = (local) => isoTime(local === undefined ? undefined : wallAt(clock, local));
  const { name, apiUrl, platform, forecast } = view;
  return {
    name,
    api_url: apiUrl,
    up: platform.reachability.up ?? null,
    up_since: time(platform.reachability.since),
    note: platform.reachability.note,
    next_try_at: platform.reachability.up === false ? time(nextTryAt(view, now)) : null,
    token_expires_at: time(view.tokenExpiresAt()),
    clock_skew_seconds: platform.platformClock.wallSkewMs / 1_000,
    quota: quotaStatus(view, now, time),
    demand_per_minute: forecast.perMinute,
    stretch: forecast.stretch,
    jobs: jobStatuses(view, now, time),
  };
}

/** When a request may leave next (local ms): of those that wait, or once the next job is due. */
function nextTryAt({ queue, jobs }: AccountView, now: number): number | undefined {
  const restsUntil = queue.restsUntil(now);
  if (restsUntil !== undefined) return restsUntil;
  let next: number | undefined;
  for (const { state, dueAt } of jobs()) {
    if (state !== 'waiting' || dueAt === undefined) continue;
    if (dueAt <= now) return undefined;
    if (next === undefined || dueAt < next) next = dueAt;
  }
  return next;
}

function quotaStatus({ platform, queue, reserve }: AccountView, now: number, time: LocalTime): QuotaStatus[] {
  return platform.scopes.all.map(({ name, limiter }) => ({
    scope: name,
    limit: limiter.limit ?? null,
    remaining: limiter.remaining(now) ?? null,
    remaining_at: time(limiter.openWindow(now)?.seenAt),
    own: limiter.openWindow(now)?.own ?? 0,
    others_per_minute: limiter.othersPerMinute,
    reset_at: time(limiter.closesAt(now)),
    reserve,
    waiting: queue.waiting(now, name),
    stopped_until: time(limiter.stoppedUntil(now)),
    note: quotaNote(limiter, now, time),
  }));
}

function quotaNote(limiter: LimitScope['limiter'], now: number, time: LocalTime): string {
  const retryAt = time(limiter.retryAt(now));
  if (retryAt !== null) {
    return `the platform asks to wait until ${retryAt}; one request probes at least every 15 min`;
  }
  return limiter.limit === undefined
    ? 'the platform has not named a limit yet: quota.assumed_limit applies'
    : '';
}
