import type { Counted } from '../poll/job.ts';
import type { JobState } from '../poll/scheduled-job.ts';
import type { Decision, WaitReason } from '../rate-limit/decision.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import { type RateLimiter, WINDOW_MS } from '../rate-limit/limiter.ts';
import type { RequestDecision } from '../rate-limit/request-queue.ts';
import type { JobStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
import type { AccountView } from './view.ts';

/** What takes time is computed when read: of thousands of jobs, a page shows a hundred. */
export function jobStatuses(view: AccountView, now: number, time: LocalTime): JobStatus[] {
  const decide = view.queue.decide(now);
  return view.jobs().map((job) => new ReadJobStatus(job, { view, decide, now, time }));
}

/** Formats a local time by the machine's clock. */
export type LocalTime = (local: number | undefined) => string | null;

interface Moment {
  readonly view: AccountView;
  readonly decide: ReturnType<AccountView['queue']['decide']>;
  readonly now: number;
  readonly time: LocalTime;
}

class ReadJobStatus implements JobStatus {
  readonly #job: JobState;
  readonly #moment: Moment;
  readonly id: string;
  readonly collector: string;
  readonly product: string | undefined;
  readonly configuration_id: string | undefined;
  readonly configuration: string | undefined;
  readonly metric: string | undefined;
  readonly catches_up_for: string | undefined;
  readonly schedule: string;
  readonly state: JobStatus['state'];
  readonly interval_seconds: number | null;
  readonly last_outcome: JobStatus['last_outcome'];
  readonly last_reason: string | null;

  constructor(state: JobState, moment: Moment) {
    const { job, intervalMs, lastOutcome, lastReason } = state;
    this.#job = state;
    this.#moment = moment;
    this.id = job.id;
    this.collector = job.subject.collector;
    this.product = job.subject.product;
    this.configuration_id = job.subject.configuration_id;
    this.configuration = job.subject.configuration;
    this.metric = job.subject.metric;
    this.catches_up_for = job.follows?.id;
    this.schedule = job.schedule ?? 'as needed';
    this.state = isWaiting(state, moment.now) ? 'waiting' : state.state === 'running' ? 'running' : 'idle';
    this.interval_seconds = intervalMs === undefined ? null : intervalMs / 1_000;
    this.last_outcome = lastOutcome ?? null;
    this.last_reason = lastReason ?? null;
  }

  get why(): string {
    const { view, now } = this.#moment;
    const decision = this.#decision;
    if (decision === undefined) return '';
    const context = { scope: this.#scope.name, concurrency: view.queue.concurrency, now };
    return whyWaiting(this.#job, decision, context);
  }

  get waits_for(): JobStatus['waits_for'] {
    return this.#decision?.why ?? null;
  }

  /** About its first request, while it waits with that. */
  get #decision(): RequestDecision | undefined {
    const { request } = this.#job;
    if (request === undefined || this.state !== 'waiting') return undefined;
    return this.#moment.decide(request);
  }

  get #scope(): LimitScope {
    return this.#moment.view.platform.scopes.of(this.#job.job.group);
  }

  get last_polled_at(): string | null {
    return this.#moment.time(this.#job.startedAt);
  }

  get last_success_at(): string | null {
    return this.#moment.time(this.#job.lastSuccessAt);
  }

  get last_bucket_at(): string | null {
    return isoTime(this.#job.lastBucketAt);
  }

  get data_age_seconds(): number | null {
    const { lastBucketAt, bucketWidthMs = 0 } = this.#job;
    if (lastBucketAt === undefined) return null;
    return (this.#moment.view.platform.platformClock.now() - lastBucketAt - bucketWidthMs) / 1_000;
  }

  get expected_age_seconds(): number | null {
    const { job } = this.#job;
    const expected = job.expectedAge?.(this.#moment.view.forecast.plannedIntervalOf(job));
    return expected === undefined ? null : expected / 1_000;
  }

  get #counted(): Counted | undefined {
    const { job } = this.#job;
    return job.counted?.(this.#moment.view.forecast.plannedIntervalOf(job));
  }

  get counted_until(): string | null {
    return isoTime(this.#counted?.until);
  }

  get counted_age_seconds(): number | null {
    const counted = this.#counted;
    if (counted === undefined) return null;
    return (this.#moment.view.platform.platformClock.now() - counted.until) / 1_000;
  }

  get expected_counted_age_seconds(): number | null {
    const counted = this.#counted;
    return counted === undefined ? null : counted.expectedAge / 1_000;
  }

  get next_at(): string | null {
    const { view, now, time } = this.#moment;
    if (this.state === 'waiting') {
      const decision = this.#decision;
      return time(decision && turnAt(decision, this.#scope.limiter, now));
    }
    return time(nextAt(this.#job, (schedule) => view.forecast.periodOf(schedule)));
  }

  toJSON(): object {
    const { id, schedule, state, why, waits_for, interval_seconds, catches_up_for } = this;
    const { last_polled_at, last_outcome, last_reason, last_success_at, last_bucket_at, next_at } = this;
    const { data_age_seconds, expected_age_seconds } = this;
    const data = { last_bucket_at, data_age_seconds, expected_age_seconds };
    const { counted_until, counted_age_seconds, expected_counted_age_seconds } = this;
    const counted = { counted_until, counted_age_seconds, expected_counted_age_seconds };
    const fared = {
      last_polled_at,
      last_outcome,
      last_reason,
      last_success_at,
      ...data,
      ...counted,
      next_at,
    };
    const { subject } = this.#job.job;
    return { id, ...subject, catches_up_for, schedule, state, why, waits_for, interval_seconds, ...fared };
  }
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

/** A time in ISO 8601, UTC. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Whether a job is due but has not started yet. */
function isWaiting({ state, dueAt }: JobState, now: number): boolean {
  return state === 'waiting' && dueAt !== undefined && dueAt <= now;
}

/** What the reasons speak of. */
interface WaitContext {
  /** The name of the limit scope. */
  readonly scope: string;
  /** How many requests may be in flight at once. */
  readonly concurrency: number;
}

/** Why a due job has not started yet, as a sentence. */
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
