import type { JobState } from '../poll/scheduled-job.ts';
import type { AccountStatus, JobStatus, QuotaStatus } from '../status.ts';
import type { AccountView } from './view.ts';
import { isWaiting, whyWaiting } from './waiting.ts';

/** An account as the status page shows it at `now` (local ms). */
export function accountStatus(view: AccountView, now: number): AccountStatus {
  const { name, apiUrl, link, forecast } = view;
  return {
    name,
    api_url: apiUrl,
    up: link.standing.up ?? null,
    note: link.standing.note,
    token_expires_at: time(view.tokenExpiresAt()),
    clock_skew_seconds: link.platformClock.skewMs / 1_000,
    quota: quotaStatus(view, now),
    demand_per_minute: forecast.perMinute,
    stretch: forecast.stretch,
    jobs: jobStatuses(view, now),
  };
}

function quotaStatus({ link, queue, reserve }: AccountView, now: number): QuotaStatus[] {
  return link.scopes.all.map(({ name, limiter }) => ({
    scope: name,
    limit: limiter.limit ?? null,
    remaining: limiter.remaining(now) ?? null,
    reset_at: time(limiter.closesAt(now)),
    reserve,
    waiting: queue.waiting(now, name),
    stopped_until: time(limiter.stoppedUntil(now)),
    note: limiter.limit === undefined ? 'the platform has named no limit yet: the assumed one holds' : '',
  }));
}

function jobStatuses({ jobs, link, queue, forecast }: AccountView, now: number): JobStatus[] {
  const periodOf = (schedule: string) => forecast.periodOf(schedule);
  const decide = queue.decide(now);
  const { concurrency } = queue;
  return jobs().map((job) => {
    if (!isWaiting(job, now))
      return jobStatus(job, job.state === 'running' ? 'running' : 'idle', '', nextAt(job, periodOf));
    const scope = link.scopes.of(job.job.group).name;
    const why = job.request && whyWaiting(job, decide(job.request), { scope, concurrency, now });
    return jobStatus(job, 'waiting', why ?? '', undefined);
  });
}

/** When a job is due next by its schedule (local ms). */
function nextAt(
  { job, state, dueAt, startedAt }: JobState,
  periodOf: (schedule: string) => number,
): number | undefined {
  if (state === 'waiting') return dueAt;
  if (job.schedule === undefined || startedAt === undefined) return undefined;
  return startedAt + periodOf(job.schedule);
}

function jobStatus(
  { job, ...fared }: JobState,
  state: JobStatus['state'],
  why: string,
  nextAt: number | undefined,
): JobStatus {
  return {
    id: job.id,
    ...job.subject,
    ...(job.follows && { catches_up_for: job.follows.id }),
    schedule: job.schedule ?? 'as needed',
    state,
    why,
    interval_seconds: fared.intervalMs === undefined ? null : fared.intervalMs / 1_000,
    last_outcome: fared.lastOutcome ?? null,
    last_reason: fared.lastReason ?? null,
    last_success_at: time(fared.lastSuccessAt),
    last_bucket_at: time(fared.lastBucketAt),
    next_at: time(nextAt),
  };
}

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
