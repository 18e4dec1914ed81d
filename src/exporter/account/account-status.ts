import type { Clock } from '../clock.ts';
import { judge } from '../judgement/judgement.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { AccountStatus, QuotaStatus } from '../status.ts';
import { isoTime, jobStatuses, type LocalTime } from './job-status.ts';
import type { AccountView } from './view.ts';

/** Why an account is not ready, as a sentence; undefined if it is: it was read with success, and its scheduler runs. */
export function notReady(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): string | undefined {
  const { name, platform, silence } = view;
  const { answered, note } = platform.reachability;
  if (!answered) {
    const why = note === '' ? '' : `: ${note}`;
    return `account ${name}: the platform has not answered yet${why}`;
  }
  const wasRead = view
    .jobs()
    .some(({ lastSuccessAt, startedAt }) => lastSuccessAt !== undefined && startedAt !== undefined);
  const because = wasRead ? silence() : unread(accountStatus(view, clock), clock.wall());
  return because === undefined ? undefined : `account ${name}: ${because}`;
}

/** Why nothing of an account was read. */
function unread(account: AccountStatus, now: number): string {
  const [{ text } = { text: 'the first polls are under way' }] = lastOf(judge(account, now)).causes;
  return `nothing was read yet: ${text}`;
}

function lastOf<Result>(steps: Generator<undefined, Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** An account as the status page shows it: by the machine's clock as it is set now. */
export function accountStatus(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): AccountStatus {
  const now = clock.now();
  const aheadMs = clock.wall() - now;
  const time: LocalTime = (local) => isoTime(local === undefined ? undefined : local + aheadMs);
  const { name, apiUrl, platform, forecast } = view;
  return {
    name,
    api_url: apiUrl,
    sources: view.sources(),
    up: platform.reachability.up ?? null,
    up_since: time(platform.reachability.since),
    note: platform.reachability.note,
    next_try_at: platform.reachability.up === false ? time(nextTryAt(view, now)) : null,
    token_expires_at: time(view.tokenExpiresAt()),
    clock_skew_seconds: platform.platformClock.wallSkewMs / 1_000,
    quota: quotaStatus(view, now, time),
    demand_per_minute: forecast.perMinute,
    stretch: forecast.stretch,
    unmatched: view.listings().flatMap(({ unmatched }) => unmatched),
    without_domains: view.listings().reduce((sum, { withoutDomains }) => sum + withoutDomains, 0),
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
  if (limiter.learnsLimit)
    return `the platform names no limit: ${limiter.limitInUse} operations a minute until it refuses one`;
  return limiter.limit === undefined
    ? 'the platform has not named a limit yet: quota.assumed_limit applies'
    : '';
}
