import type { AccountLink } from '../platform/account-link.ts';
import type { Operations } from '../quota/operations.ts';
import type { JobState } from '../schedule/job-entry.ts';
import type { AccountStatus, JobStatus, QuotaStatus } from '../status.ts';

export interface AccountFacts {
  readonly name: string;
  readonly apiUrl: string;
  readonly reserve: number;
  readonly link: AccountLink;
  readonly operations: Operations;
  readonly tokenExpiresAt: number | undefined;
  readonly demandPerMinute: number;
  readonly stretch: number;
  readonly jobs: readonly JobState[];
  /** When a job is due next by its schedule (local ms). */
  readonly nextAt: (job: JobState) => number | undefined;
}

/** An account as the status page shows it at `now` (local ms). */
export function accountStatus(facts: AccountFacts, now: number): AccountStatus {
  const { name, apiUrl, link, tokenExpiresAt, demandPerMinute, stretch, jobs, nextAt } = facts;
  return {
    name,
    api_url: apiUrl,
    up: link.up ?? null,
    note: link.note,
    token_expires_at: time(tokenExpiresAt),
    clock_skew_seconds: link.platformClock.skewMs / 1_000,
    quota: quotaStatus(facts, now),
    demand_per_minute: demandPerMinute,
    stretch,
    jobs: jobs.map((job) => jobStatus(job, whyWaiting(job, link, now), nextAt(job))),
  };
}

function quotaStatus({ link, operations, reserve }: AccountFacts, now: number): QuotaStatus[] {
  return link.scopes.all.map(({ name, budget }) => ({
    scope: name,
    limit: budget.limit ?? null,
    remaining: budget.remaining(now) ?? null,
    reset_at: time(budget.closesAt(now)),
    reserve,
    waiting: operations.waiting(now, name),
    stopped_until: time(budget.stoppedUntil(now)),
    note: budget.limit === undefined ? 'the platform has named no limit yet: the assumed one holds' : '',
  }));
}

function jobStatus(state: JobState, why: string, nextAt: number | undefined): JobStatus {
  const { job } = state;
  return {
    id: job.id,
    ...job.subject,
    schedule: job.schedule ?? 'as needed',
    state: state.state,
    why,
    interval_seconds: state.intervalMs === undefined ? null : state.intervalMs / 1_000,
    last_outcome: state.lastOutcome ?? null,
    last_reason: state.lastReason ?? null,
    last_success_at: time(state.lastSuccessAt),
    last_bucket_at: time(state.lastBucketAt),
    next_at: time(nextAt),
  };
}

/** Why a job that is due has not started, in plain words; empty when there is nothing to say. */
function whyWaiting({ state, dueAt, job }: JobState, link: AccountLink, now: number): string {
  if (state !== 'waiting' || dueAt === undefined) return '';
  if (dueAt > now) return `starts in ${Math.ceil((dueAt - now) / 1_000)} s, spread over the period`;
  const { name, budget } = link.scopes.of(job.group);
  const since = `due for ${Math.round((now - dueAt) / 1_000)} s`;
  const stoppedUntil = budget.stoppedUntil(now);
  if (stoppedUntil !== undefined) return `${since}: the platform refused ${name} until ${time(stoppedUntil)}`;
  const wait = budget.waitMs(now);
  if (wait === 0) return `${since}: more urgent work goes first`;
  if (wait === Number.POSITIVE_INFINITY)
    return `${since}: waits for an answer that tells what is left of ${name}`;
  return `${since}: the quota of ${name} is used up until ${time(now + wait)}`;
}

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
