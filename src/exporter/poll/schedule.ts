import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { isPassing, type Outcome } from '../platform/read.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import { periodOf } from '../rate-limit/poll-intervals.ts';
import type { Ending, Job, PollEnd } from './job.ts';
import type { Ticker } from './ticker.ts';

/** State of a job. Times are local ms. */
export interface JobState {
  readonly job: Job;
  readonly state: 'idle' | 'waiting' | 'running';
  /** Time from which the age of its data counts. */
  readonly since: number;
  /** Time at which it became, or becomes, due; only while it waits. */
  readonly dueAt: number | undefined;
  /** First request of its poll, until the poll ends. */
  readonly request: QueuedRequest | undefined;
  readonly startedAt: number | undefined;
  /** Between the last two starts. */
  readonly intervalMs: number | undefined;
  readonly lastOutcome: Outcome | undefined;
  readonly lastReason: string | undefined;
  readonly lastSuccessAt: number | undefined;
  /** Start of the newest bucket exposed (platform ms). */
  readonly lastBucketAt: number | undefined;
  /** Width (ms) of the buckets of the last answer that showed it. */
  readonly bucketWidthMs: number | undefined;
  /** Share of buckets that the last answer lacked, of those that show it. */
  readonly shareMissing: number | undefined;
}

/** Shared, since thousands of jobs would otherwise each hold a stack trace. */
const NO_LONGER_WANTED = new Error('no longer configured');

/** Jobs that were never polled go first. */
const FIRST_POLL_HEAD_START_MS = 24 * 3_600_000;

/** A job on the schedule. */
export class ScheduledJob implements JobState {
  readonly job: Job;
  /** Phase (0 to 1) among jobs that fall due together, computed from the id so that a restart keeps it. */
  readonly phase: number;
  /** Exists only during a poll: it takes half a kilobyte, and most jobs rest. */
  #stop: AbortController | undefined;
  /** True if the job is no longer wanted. */
  isStopped = false;
  since: number;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  dueAt: number | undefined;
  request: QueuedRequest | undefined;
  /** Time at which it fell due again while it was running. */
  dueAgainAt: number | undefined;
  startedAt: number | undefined;
  /** Time at which the first operation of the current or last poll left. */
  firstOperationAt: number | undefined;
  intervalMs: number | undefined;
  lastOutcome: Outcome | undefined;
  lastReason: string | undefined;
  lastSuccessAt: number | undefined;
  /** End of its last poll. */
  endedAt: number | undefined;
  lastBucketAt: number | undefined;
  bucketWidthMs: number | undefined;
  shareMissing: number | undefined;
  /** Operations of the poll under way, or of the last one. */
  operations = 0;
  /** Polls that failed since the last one that did not. */
  failures = 0;

  constructor(job: Job, now: number) {
    this.job = job;
    this.phase = fraction(job.id);
    this.since = now - FIRST_POLL_HEAD_START_MS;
  }

  /** Aborts when the job is no longer wanted: of a poll, until that is over. */
  get signal(): AbortSignal {
    this.#stop ??= stopOfPoll(this.isStopped);
    return this.#stop.signal;
  }

  /** Makes it due at `at`, unless it is due already. Returns true if it is to be polled then. */
  due(at: number): boolean {
    if (this.isStopped || this.state === 'waiting') return false;
    // The data that it reads may have been requested before it fell due again.
    if (this.state === 'running') {
      this.dueAgainAt = at;
      return false;
    }
    this.state = 'waiting';
    this.operations = 0;
    this.firstOperationAt = undefined;
    this.request = undefined;
    this.dueAt = at;
    // Follow-up work ages from the moment it became necessary.
    if (this.job.schedule === undefined) this.since = at;
    return true;
  }

  /** One of its operations leaves. */
  start(now: number): void {
    this.operations += 1;
    if (this.state !== 'waiting') return;
    this.#begin(now);
    this.state = 'running';
    this.firstOperationAt = now;
  }

  #begin(now: number): void {
    if (this.startedAt !== undefined) this.intervalMs = now - this.startedAt;
    this.startedAt = now;
  }

  /** Ends its poll: it may fall due again. */
  end(endedAt: number, ending: Ending): PollEnd {
    const { outcome, reason, result } = ending;
    const before = this.lastOutcome;
    const succeeded = outcome === 'ok' || outcome === 'empty';
    this.lastOutcome = outcome;
    this.lastReason = reason;
    this.failures = succeeded ? 0 : this.failures + 1;
    if (succeeded) this.lastSuccessAt = endedAt;
    this.endedAt = endedAt;
    this.lastBucketAt = result?.buckets?.newestExposed ?? this.lastBucketAt;
    this.bucketWidthMs = result?.buckets?.width ?? this.bucketWidthMs;
    this.shareMissing = result?.buckets?.missing ?? this.shareMissing;
    // During the poll it kept the urgency of its start, so that a poll of many operations is not left half done.
    this.since = this.state === 'running' ? (this.startedAt ?? endedAt) : endedAt;
    this.state = 'idle';
    this.dueAt = undefined;
    this.request = undefined;
    // After a failure, further requests of the poll may still wait; they end with the job.
    if (this.failures === 0) this.#stop = undefined;
    const { job, operations, firstOperationAt = endedAt } = this;
    return { ...ending, job, before, operations, durationMs: endedAt - firstOperationAt, endedAt };
  }

  stop(): void {
    this.isStopped = true;
    this.#stop?.abort(NO_LONGER_WANTED);
  }
}

function stopOfPoll(isStopped: boolean): AbortController {
  const stop = new AbortController();
  // A poll may wait for as many operations at once as its metric has dimensions.
  setMaxListeners(0, stop.signal);
  if (isStopped) stop.abort(NO_LONGER_WANTED);
  return stop;
}

/** A fraction (0 to 1) by a text alone: FNV-1a, mixed once more since ids often differ only at their end. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

export interface ScheduleOptions {
  readonly clock: Clock;
  readonly platformClock: PlatformClock;
  readonly ticker: Ticker;
  /** Never rejects. */
  readonly poll: (scheduled: ScheduledJob) => Promise<void>;
}

const MINUTE_MS = 60_000;

/** At most this many jobs of a slow schedule start in the same minute. */
const STARTS_A_MINUTE = 4;

/** Slow schedules are spread over this time (ms) at most. */
const WIDEST_SPREAD_MS = 60 * MINUTE_MS;

/** A bucket that closed so recently (ms) is not worth waiting for the next one: clocks are not that exact. */
const JUST_CLOSED_MS = 1_000;

/** A failed poll of a slow schedule is tried again after this time, then after twice as long, and so on. */
const RETRY_MS = MINUTE_MS;
const MOST_DOUBLINGS = 10;

/** A failed poll of a follower is tried again after this time. */
const FOLLOWER_REST_MS = 5 * MINUTE_MS;

/** Polls jobs when they are due: once at the start, then by their cron pattern; two polls of a job never overlap. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #scheduled = new Map<string, ScheduledJob>();
  /** Jobs of each cron pattern. */
  readonly #byPattern = new Map<string, Set<ScheduledJob>>();
  #stopped = false;
  readonly #patterns = new Map<string, () => void>();
  readonly #polls = new Set<Promise<void>>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Replaces the jobs: new ones become due at once, those that are gone are stopped, the others go on. */
  replace(jobs: readonly Job[]): void {
    if (this.#stopped) return;
    const wanted = new Set(jobs);
    this.#subscribe(new Set(jobs.flatMap(({ schedule }) => schedule ?? [])));
    const now = this.#options.clock.now();
    for (const scheduled of [...this.#scheduled.values()]) {
      const { job } = scheduled;
      if (!wanted.has(job.follows ?? job)) this.#remove(scheduled);
      else if (job.follows === undefined) this.#dueBesides(job, now);
    }
    for (const job of jobs) if (!this.#scheduled.has(job.id)) this.#due(this.#add(job), now);
  }

  states(): readonly JobState[] {
    return [...this.#scheduled.values()];
  }

  /** Stops everything, for good; resolves when no poll runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#subscribe(new Set());
    for (const scheduled of [...this.#scheduled.values()]) this.#remove(scheduled);
    await Promise.all(this.#polls);
  }

  #add(job: Job): ScheduledJob {
    const scheduled = new ScheduledJob(job, this.#options.clock.now());
    this.#scheduled.set(job.id, scheduled);
    if (job.schedule !== undefined) {
      const alike = this.#byPattern.get(job.schedule) ?? new Set();
      this.#byPattern.set(job.schedule, alike.add(scheduled));
    }
    return scheduled;
  }

  #remove(scheduled: ScheduledJob): void {
    const { id, schedule = '' } = scheduled.job;
    this.#scheduled.delete(id);
    this.#byPattern.get(schedule)?.delete(scheduled);
    scheduled.stop();
  }

  #subscribe(patterns: ReadonlySet<string>): void {
    for (const [pattern, unsubscribe] of this.#patterns) {
      if (patterns.has(pattern)) continue;
      unsubscribe();
      this.#patterns.delete(pattern);
    }
    for (const pattern of patterns) {
      if (this.#patterns.has(pattern)) continue;
      const unsubscribe = this.#options.ticker(pattern, (at) => this.#fire(pattern, at));
      this.#patterns.set(pattern, unsubscribe);
    }
  }

  /**
   * Jobs become due when the platform's next bucket closes, by its clock. Jobs of slow schedules are spread by whole minutes,
   * so that they do not all come at once.
   */
  #fire(pattern: string, at: number): void {
    const { clock, platformClock } = this.#options;
    const due = [...(this.#byPattern.get(pattern) ?? [])];
    const minutes = this.#minutesFor(pattern, due.length);
    const now = clock.now();
    // A busy machine may be seconds late: jobs are due as of the moment itself.
    const lateMs = Math.max(0, clock.wall() - at);
    const bucketClosesAt = Math.max(now, platformClock.nextMinute(now - lateMs - JUST_CLOSED_MS));
    for (const scheduled of due)
      this.#due(scheduled, bucketClosesAt + Math.floor(scheduled.phase * minutes) * MINUTE_MS);
  }

  /** Returns the number of minutes over which the starts of a pattern's jobs are spread. */
  #minutesFor(pattern: string, jobs: number): number {
    const widest = Math.min(periodOf(pattern).longest, WIDEST_SPREAD_MS) / MINUTE_MS;
    return Math.max(1, Math.min(Math.floor(widest), Math.ceil(jobs / STARTS_A_MINUTE)));
  }

  #due(scheduled: ScheduledJob, at: number): void {
    if (!scheduled.due(at)) return;
    const poll = this.#options.poll(scheduled).then(() => {
      this.#polls.delete(poll);
      if (!scheduled.isStopped) this.#after(scheduled);
    });
    this.#polls.add(poll);
  }

  /** After a temporary failure, jobs with a slow schedule are retried before their next run. */
  #retry(scheduled: ScheduledJob, now: number): void {
    const { job, lastOutcome, failures } = scheduled;
    if (job.schedule === undefined || failures === 0 || lastOutcome === undefined) return;
    if (!isPassing(lastOutcome)) return;
    const wait = RETRY_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
    if (wait < periodOf(job.schedule).longest) this.#due(scheduled, now + wait);
  }

  /** Schedules what comes after a poll that is over. */
  #after(scheduled: ScheduledJob): void {
    const { dueAgainAt, endedAt: now = this.#options.clock.now(), job } = scheduled;
    scheduled.dueAgainAt = undefined;
    if (dueAgainAt !== undefined) this.#due(scheduled, Math.max(now, dueAgainAt));
    else this.#retry(scheduled, now);
    const first = job.follows ?? job;
    this.#dueBesides(first, now);
    if (first.follower !== undefined) this.#dueBesides(first.follower, now);
  }

  /** Makes a job due that asks to be polled besides its schedule; one that runs asks again when its poll is over. */
  #dueBesides(job: Job, now: number): void {
    const at = job.dueAt?.();
    if (at === undefined) return;
    const scheduled = this.#scheduled.get(job.id) ?? this.#add(job);
    const { endedAt = now, failures } = scheduled;
    const rested = job.follows === undefined || failures === 0 ? now : endedAt + FOLLOWER_REST_MS;
    if (scheduled.state === 'idle') this.#due(scheduled, Math.max(now, at, rested));
  }
}
