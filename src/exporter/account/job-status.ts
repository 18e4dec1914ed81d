import type { ObservedPlatform } from '../poll/observed-platform.ts';
import type { JobState } from '../poll/schedule.ts';
import type { Decision, WaitReason } from '../rate-limit/decision.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import { type PollIntervals, periodOf } from '../rate-limit/poll-intervals.ts';
import { WINDOW_MS } from '../rate-limit/rate-limit-window.ts';
import type { RequestDecision, RequestQueue } from '../rate-limit/request-queue.ts';
import type { JobStatus } from '../status.ts';
import { duration } from '../text/figures.ts';

/** Formats a local time (ms) in ISO 8601, by the machine's clock; null if it is undefined. */
export type LocalTime = (local: number | undefined) => string | null;

/** Moment of a status, with the sources of its values. */
export interface Moment {
  readonly view: {
    readonly intervals: Pick<PollIntervals, 'of'>;
    readonly platform: Pick<ObservedPlatform, 'scopes'>;
    readonly queue: Pick<RequestQueue, 'concurrency'>;
  };
  readonly decide: ReturnType<RequestQueue['decide']>;
  /** Current local time (ms), and the platform's. */
  readonly now: number;
  readonly platformNow: number;
  readonly time: LocalTime;
}

/** Returns the status of a job. */
export function jobStatus(known: JobState, { view, decide, now, platformNow, time }: Moment): JobStatus {
  const { job, request, lastBucketAt, bucketWidthMs = 0 } = known;
  const { collector, product, configuration_id, configuration, metric } = job.subject;
  const planned = view.intervals.of(job).planned;
  const scheduled = job.schedule === undefined ? planned : periodOf(job.schedule).longest;
  const scope = view.platform.scopes.of(job.group);
  const state = known.state === 'waiting' && !isDue(known, now) ? 'idle' : known.state;
  const decision = request !== undefined && state === 'waiting' ? decide(request) : undefined;
  const counted = job.counted?.(planned, platformNow);
  const context = { scope: scope.name, concurrency: view.queue.concurrency, now };
  return {
    id: job.id,
    collector,
    product,
    configuration_id,
    configuration,
    metric,
    catches_up_for: job.follows?.id,
    schedule: job.schedule ?? 'as needed',
    state,
    why: decision === undefined ? '' : whyWaiting(known, decision, context),
    waits_for: decision?.why ?? null,
    interval_seconds: seconds(known.intervalMs),
    last_polled_at: time(known.startedAt),
    last_outcome: known.lastOutcome ?? null,
    last_reason: known.lastReason ?? null,
    last_success_at: time(known.lastSuccessAt),
    last_bucket_at: isoTime(lastBucketAt),
    data_age_seconds: seconds(lastBucketAt && platformNow - lastBucketAt - bucketWidthMs),
    expected_age_seconds: seconds(job.expectedAge?.(scheduled, platformNow)),
    allowed_age_seconds: seconds(job.expectedAge?.(planned, platformNow)),
    missing_share: known.shareMissing ?? null,
    counted_until: isoTime(counted?.until),
    counted_age_seconds: seconds(counted && platformNow - counted.until),
    expected_counted_age_seconds: seconds(counted?.expectedAge),
    next_at:
      state === 'waiting' ? time(decision && turnAt(decision, scope.limiter, now)) : time(dueNext(known)),
  };
}

/** Returns the time (local ms) at which a job is due next by its schedule; undefined if it is not known. */
function dueNext({ state, dueAt, startedAt, job: { schedule } }: JobState): number | undefined {
  if (state === 'waiting') return dueAt;
  if (schedule === undefined || startedAt === undefined) return undefined;
  return startedAt + periodOf(schedule).longest;
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000;
}

/** Returns a time in ISO 8601, UTC; null if it is undefined. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function isDue({ dueAt }: JobState, now: number): boolean {
  return dueAt !== undefined && dueAt <= now;
}

/** Values that the texts of wait reasons mention. */
interface WaitContext {
  /** Name of the limit scope. */
  readonly scope: string;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
}

/** Returns why a due job has not started yet, as a sentence. */
function whyWaiting(
  { dueAt = 0 }: JobState,
  decision: RequestDecision,
  { now, ...context }: WaitContext & { readonly now: number },
): string {
  const due = `due for ${duration((now - dueAt) / 1_000)}`;
  return `${due}${positionText(decision)}: ${waitText(decision, context)}`;
}

function positionText({ next, ahead }: RequestDecision): string {
  if (next) return ', goes next';
  return ahead === 0 ? '' : `, after ${ahead} more urgent`;
}

/** Wait reasons that end at a known time; the others end with an answer. */
const TIMED: readonly (WaitReason | undefined)[] = [
  'unauthorized',
  'rate_limited',
  'spent',
  'reserved',
  'pacing',
];

/**
 * Returns the time (local ms) at which a queued request can leave, after all more urgent ones; undefined if it is not known.
 * Requests that do not fit into a window wait for the next one.
 */
export function turnAt(
  { why, until, next, ahead }: RequestDecision,
  limiter: Pick<RateLimiter, 'perMinute' | 'openWindow'>,
  now: number,
): number | undefined {
  if (!TIMED.includes(why) || !Number.isFinite(until)) return undefined;
  if (next) return until;
  // Probes of a refused token are not sent in the order of urgency.
  if (why === 'unauthorized') return undefined;
  const reopensAt = why === 'pacing' ? Math.max(until, limiter.openWindow(now)?.closesAt ?? until) : until;
  return reopensAt + Math.floor(ahead / limiter.perMinute) * WINDOW_MS;
}

/** Returns why a request may not leave, as a clause. */
function waitText({ why }: Pick<Decision, 'why'>, { scope, concurrency }: WaitContext): string {
  switch (why) {
    case 'unauthorized':
      return 'the platform refuses the token, single requests probe whether it still does';
    case 'rate_limited':
      return `rate limited: the platform refuses ${scope} (429)`;
    case 'probe':
      return `a request in flight will show what is left of ${scope}`;
    case 'spent':
      return `the quota of ${scope} is used up`;
    case 'reserved':
      return `what is left of ${scope} is kept for other clients (quota.reserve)`;
    case 'pacing':
      return 'waits for the next bucket, which is fresher, or for a probe';
    case 'connections':
      return concurrency === 1 ? 'the connection is in use' : `all ${concurrency} connections are in use`;
    case undefined:
      return 'about to be sent';
  }
}
