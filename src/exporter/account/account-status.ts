import type { Clock } from '../clock.ts';
import { judge } from '../judgement/judgement.ts';
import type { Counted } from '../poll/job.ts';
import type { JobState } from '../poll/scheduled-job.ts';
import { WINDOW_MS } from '../rate-limit/assumed-limit.ts';
import type { Decision, WaitReason } from '../rate-limit/decision.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import type { RequestDecision } from '../rate-limit/request-queue.ts';
import type { AccountStatus, JobStatus, QuotaStatus } from '../status.ts';
import { duration } from '../text/duration.ts';
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

/** What takes time is computed when read: of thousands of jobs, a page shows a hundred. */
function jobStatuses(view: AccountView, now: number, time: LocalTime): JobStatus[] {
  const decide = view.queue.decide(now);
  return view.jobs().map((job) => new ReadJobStatus(job, { view, decide, now, time }));
}

/** Formats a local time by the machine's clock. */
type LocalTime = (local: number | undefined) => string | null;

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
function isoTime(ms: number | undefined): string | null {
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
