import type { ObservedPlatform } from '../poll/observed-platform.ts';
import type { JobState } from '../poll/schedule.ts';
import type { Decision, WaitReason } from '../rate-limit/decision.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import { type PollIntervals, periodOf } from '../rate-limit/poll-intervals.ts';
import { WINDOW_MS } from '../rate-limit/rate-limit-window.ts';
import type { RequestDecision, RequestQueue } from '../rate-limit/request-queue.ts';
import type { JobStatus } from '../status.ts';
import { duration } from '../text/figures.ts';

/** Formats a local time by the machine's clock. */
export type LocalTime = (local: number | undefined) => string | null;

/** The moment of which a status is. */
export interface Moment {
  readonly view: {
    readonly intervals: Pick<PollIntervals, 'of'>;
    readonly platform: Pick<ObservedPlatform, 'scopes'>;
    readonly queue: Pick<RequestQueue, 'concurrency'>;
  };
  readonly decide: ReturnType<RequestQueue['decide']>;
  /** Local ms, and the platform's. */
  readonly now: number;
  readonly platformNow: number;
  readonly time: LocalTime;
}

/**
 * The status of a job, of which each field is found out when it is asked for: a search looks at all of a hundred thousand jobs,
 * and shows a few. Not an object of getters, which takes ten times as long to make.
 */
export class StatusOfJob implements JobStatus {
  readonly #known: JobState;
  readonly #moment: Moment;
  #decision: { readonly found: RequestDecision | undefined } | undefined;
  #plannedMs: number | undefined;

  constructor(known: JobState, moment: Moment) {
    // As it is now: it may go on before it is asked for more.
    this.#known = { ...known };
    this.#moment = moment;
  }

  /** All fields, for a document. */
  toJSON(): object {
    return Object.fromEntries(FIELDS.map((field) => [field, this[field]] as const));
  }

  get id() {
    return this.#known.job.id;
  }

  get collector() {
    return this.#known.job.subject.collector;
  }

  get product() {
    return this.#known.job.subject.product;
  }

  get configuration_id() {
    return this.#known.job.subject.configuration_id;
  }

  get configuration() {
    return this.#known.job.subject.configuration;
  }

  get metric() {
    return this.#known.job.subject.metric;
  }

  get catches_up_for() {
    return this.#known.job.follows?.id;
  }

  get schedule() {
    return this.#known.job.schedule ?? 'as needed';
  }

  get state() {
    const { state } = this.#known;
    if (isWaiting(this.#known, this.#moment.now)) return 'waiting';
    return state === 'running' ? 'running' : 'idle';
  }

  get why() {
    const { view, now } = this.#moment;
    const decision = this.#decided;
    const scope = view.platform.scopes.of(this.#known.job.group).name;
    const context = { scope, concurrency: view.queue.concurrency, now };
    return decision === undefined ? '' : whyWaiting(this.#known, decision, context);
  }

  get waits_for() {
    return this.#decided?.why ?? null;
  }

  get interval_seconds() {
    return seconds(this.#known.intervalMs);
  }

  get last_polled_at() {
    return this.#moment.time(this.#known.startedAt);
  }

  get last_outcome() {
    return this.#known.lastOutcome ?? null;
  }

  get last_reason() {
    return this.#known.lastReason ?? null;
  }

  get last_success_at() {
    return this.#moment.time(this.#known.lastSuccessAt);
  }

  get last_bucket_at() {
    return isoTime(this.#known.lastBucketAt);
  }

  get data_age_seconds() {
    const { lastBucketAt, bucketWidthMs = 0 } = this.#known;
    return seconds(lastBucketAt && this.#moment.platformNow - lastBucketAt - bucketWidthMs);
  }

  get expected_age_seconds() {
    const { job } = this.#known;
    const asked = job.schedule === undefined ? this.#planned : periodOf(job.schedule).longest;
    return seconds(job.expectedAge?.(asked, this.#moment.platformNow));
  }

  get allowed_age_seconds() {
    return seconds(this.#known.job.expectedAge?.(this.#planned, this.#moment.platformNow));
  }

  get missing_share() {
    return this.#known.shareMissing ?? null;
  }

  get counted_until() {
    return isoTime(this.#counted?.until);
  }

  get counted_age_seconds() {
    const counted = this.#counted;
    return seconds(counted && this.#moment.platformNow - counted.until);
  }

  get expected_counted_age_seconds() {
    return seconds(this.#counted?.expectedAge);
  }

  get next_at() {
    const { view, now, time } = this.#moment;
    if (this.state !== 'waiting') return time(dueNext(this.#known));
    const decision = this.#decided;
    return time(decision && turnAt(decision, view.platform.scopes.of(this.#known.job.group).limiter, now));
  }

  /** Only while its first request waits. */
  get #decided(): RequestDecision | undefined {
    const { request } = this.#known;
    const isAsked = request !== undefined && this.state === 'waiting';
    this.#decision ??= { found: isAsked ? this.#moment.decide(request) : undefined };
    return this.#decision.found;
  }

  get #planned(): number {
    this.#plannedMs ??= this.#moment.view.intervals.of(this.#known.job).planned;
    return this.#plannedMs;
  }

  get #counted() {
    return this.#known.job.counted?.(this.#planned, this.#moment.platformNow);
  }
}

/** In the order in which they are defined above: every getter is a field. */
const FIELDS = Object.entries(Object.getOwnPropertyDescriptors(StatusOfJob.prototype)).flatMap(
  ([name, { get }]) => (get === undefined ? [] : [name as keyof JobStatus]),
);

/** When a job is due next by its schedule (local ms). */
function dueNext({ state, dueAt, startedAt, job: { schedule } }: JobState): number | undefined {
  if (state === 'waiting') return dueAt;
  if (schedule === undefined || startedAt === undefined) return undefined;
  return startedAt + periodOf(schedule).longest;
}

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : ms / 1_000;
}

/** A time in ISO 8601, UTC. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Whether a job is due but has not started yet. */
function isWaiting({ state, dueAt }: JobState, now: number): boolean {
  return state === 'waiting' && dueAt !== undefined && dueAt <= now;
}

/** What the texts of wait reasons mention. */
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
  limiter: Pick<RateLimiter, 'perMinute' | 'openWindow'>,
  now: number,
): number | undefined {
  if (!TIMED.includes(why) || !Number.isFinite(until)) return undefined;
  if (next) return until;
  // The probes of a refused token are not sent in the order of urgency.
  if (why === 'unauthorized') return undefined;
  const reopensAt = why === 'pacing' ? Math.max(until, limiter.openWindow(now)?.closesAt ?? until) : until;
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
      return `what is left of ${scope} is kept for other clients (quota.reserve)`;
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
