import type { Counted } from '../poll/job.ts';
import type { JobState } from '../poll/scheduled-job.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { RequestDecision } from '../rate-limit/request-queue.ts';
import type { JobStatus } from '../status.ts';
import type { AccountView } from './view.ts';
import { isWaiting, turnAt, whyWaiting } from './wait-reason.ts';

/** Computed when read: of thousands of jobs, a page shows a hundred. */
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

  constructor(job: JobState, moment: Moment) {
    this.#job = job;
    this.#moment = moment;
  }

  get id(): string {
    return this.#job.job.id;
  }

  get collector(): string {
    return this.#job.job.subject.collector;
  }

  get product(): string | undefined {
    return this.#job.job.subject.product;
  }

  get configuration_id(): string | undefined {
    return this.#job.job.subject.configuration_id;
  }

  get configuration(): string | undefined {
    return this.#job.job.subject.configuration;
  }

  get metric(): string | undefined {
    return this.#job.job.subject.metric;
  }

  get catches_up_for(): string | undefined {
    return this.#job.job.follows?.id;
  }

  get schedule(): string {
    return this.#job.job.schedule ?? 'as needed';
  }

  get state(): JobStatus['state'] {
    if (isWaiting(this.#job, this.#moment.now)) return 'waiting';
    return this.#job.state === 'running' ? 'running' : 'idle';
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

  get interval_seconds(): number | null {
    const { intervalMs } = this.#job;
    return intervalMs === undefined ? null : intervalMs / 1_000;
  }

  get last_polled_at(): string | null {
    return this.#moment.time(this.#job.startedAt);
  }

  get last_outcome(): JobStatus['last_outcome'] {
    return this.#job.lastOutcome ?? null;
  }

  get last_reason(): string | null {
    return this.#job.lastReason ?? null;
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
