import type { Opening, Operations } from '../quota/operations.ts';
import type { Scope } from '../quota/scopes.ts';
import type { JobState } from '../schedule/job-entry.ts';
import type { AccountStatus, JobStatus, QuotaStatus } from '../status.ts';
import type { AccountLink } from './link.ts';

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
  const most = mostUrgent(jobs, link, now);
  return {
    name,
    api_url: apiUrl,
    up: link.standing.up ?? null,
    note: link.standing.note,
    token_expires_at: time(tokenExpiresAt),
    clock_skew_seconds: link.platformClock.skewMs / 1_000,
    quota: quotaStatus(facts, now),
    demand_per_minute: demandPerMinute,
    stretch,
    jobs: jobs.map((job) => jobStatus(job, whyWaiting(job, facts, most, now), nextAt(job))),
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

/** Of the jobs that are due, the most urgent of each scope, by the scope's name. */
function mostUrgent(jobs: readonly JobState[], link: AccountLink, now: number): Map<string, JobState> {
  const most = new Map<string, JobState>();
  const urgency = ({ job, since }: JobState) => job.weight * (now - since);
  for (const state of jobs) {
    if (state.state !== 'waiting' || (state.dueAt ?? now) > now) continue;
    const { name } = link.scopes.of(state.job.group);
    const other = most.get(name);
    if (other === undefined || urgency(state) > urgency(other)) most.set(name, state);
  }
  return most;
}

/** Why a job that is due has not started, in plain words; empty when there is nothing to say. */
function whyWaiting(
  state: JobState,
  { link, operations }: AccountFacts,
  most: ReadonlyMap<string, JobState>,
  now: number,
): string {
  const { dueAt, job } = state;
  if (state.state !== 'waiting' || dueAt === undefined) return '';
  if (dueAt > now) return `starts in ${Math.ceil((dueAt - now) / 1_000)} s`;
  const scope = link.scopes.of(job.group);
  const since = `due for ${Math.round((now - dueAt) / 1_000)} s, ${most.get(scope.name) === state ? 'goes next: ' : ''}`;
  if (operations.isSlow(job.group, now)) return `${since}${job.group} answers so slowly that others go first`;
  return since + obstacle(scope, operations.opening(scope, now), now);
}

/** What keeps the operations of a scope from leaving. */
function obstacle({ name, budget }: Scope, { free, waitMs, kept }: Opening, now: number): string {
  const stoppedUntil = budget.stoppedUntil(now);
  if (stoppedUntil !== undefined) return `the platform refused ${name} until ${time(stoppedUntil)}`;
  if (free > 0 && kept.until > now) return `kept for a fresher bucket at ${time(kept.until)}`;
  if (free > 0) return 'more urgent work and the connections in use go first';
  if (budget.isLooking(now)) return `waits for an answer that tells what is left of ${name}`;
  return `the quota of ${name} is used up until ${time(now + waitMs)}`;
}

function time(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
