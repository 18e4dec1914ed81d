import type { JobState } from '../poll/scheduled-job.ts';
import type { Decision, WaitReason } from '../rate-limit/decision.ts';
import { type RateLimiter, WINDOW_MS } from '../rate-limit/limiter.ts';
import type { RequestDecision } from '../rate-limit/request-queue.ts';
import { duration } from '../text/duration.ts';

/** Whether a job is due but has not started yet. */
export function isWaiting({ state, dueAt }: JobState, now: number): boolean {
  return state === 'waiting' && dueAt !== undefined && dueAt <= now;
}

/** What the reasons speak of. */
export interface WaitContext {
  /** The name of the limit scope. */
  readonly scope: string;
  /** How many requests may be in flight at once. */
  readonly concurrency: number;
}

/** Why a due job has not started yet, as a sentence. */
export function whyWaiting(
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

/** Reasons that end at a known time; the others end with an answer. */
const TIMED: readonly (WaitReason | undefined)[] = [
  'unauthorized',
  'rate_limited',
  'spent',
  'reserved',
  'pacing',
];

/**
 * When the turn of a waiting request comes (local ms), as far as is known: those that are more urgent go first, and
 * what does not fit the windows waits for later ones.
 */
export function turnAt(
  { why, until, next, ahead }: RequestDecision,
  limiter: Pick<RateLimiter, 'perMinute' | 'closesAt'>,
  now: number,
): number | undefined {
  if (!TIMED.includes(why) || !Number.isFinite(until)) return undefined;
  if (next) return until;
  // The probes of a refused token are not sent in the order of urgency.
  if (why === 'unauthorized') return undefined;
  const reopensAt = why === 'pacing' ? Math.max(until, limiter.closesAt(now) ?? until) : until;
  return reopensAt + Math.floor(ahead / limiter.perMinute) * WINDOW_MS;
}

/** Why a request may not leave, as a clause. */
export function waitText({ why }: Pick<Decision, 'why'>, { scope, concurrency }: WaitContext): string {
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
      return `what is left of ${scope} is reserved for the token’s other clients`;
    case 'pacing':
      return 'waits for the next bucket, which is fresher, or for a probe';
    case 'connections':
      return concurrency === 1 ? 'the connection is in use' : `all ${concurrency} connections are in use`;
    case 'slow_api':
      return 'its API answers slowly, so others go first';
    case undefined:
      return 'about to be sent';
  }
}
