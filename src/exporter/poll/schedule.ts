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
  /** Time at which it became or becomes due; undefined unless it waits. */
  readonly dueAt: number | undefined;
  /** First request of the current poll; undefined between polls. */
  readonly request: QueuedRequest | undefined;
  readonly startedAt: number | undefined;
  /** Time (ms) between the last two starts; undefined before the second. */
  readonly intervalMs: number | undefined;
  readonly lastOutcome: Outcome | undefined;
  readonly lastReason: string | undefined;
  readonly lastSuccessAt: number | undefined;
  /** Start of the newest exposed bucket (platform ms); undefined before the first. */
  readonly lastBucketAt: number | undefined;
  /** Bucket width (ms) in the last answer that showed it. */
  readonly bucketWidthMs: number | undefined;
  /** Share of missing buckets in the last answer that showed it. */
  readonly shareMissing: number | undefined;
}

/** Abort reason, shared since thousands of jobs would otherwise each retain a stack trace. */
const NO_LONGER_WANTED = new Error('no longer configured');

/** Initial age (ms) of new jobs, so that their first polls come first. */
const FIRST_POLL_HEAD_START_MS = 24 * 3_600_000;

/** Job with its schedule state. */
export class ScheduledJob implements JobState {
  readonly job: Job;
  /** Phase (0 to 1) among jobs that are due together, computed from the id so that a restart does not change it. */
  readonly phase: number;
  /** Abort controller of the current poll. It takes half a kilobyte, and most jobs are idle. */
  #stop: AbortController | undefined;
  /** True if the job is no longer wanted. */
  isStopped = false;
  since: number;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  dueAt: number | undefined;
  request: QueuedRequest | undefined;
  /** Time at which it became due again during a poll. */
  dueAgainAt: number | undefined;
  startedAt: number | undefined;
  /** Time at which the first operation of the current or last poll was sent. */
  firstOperationAt: number | undefined;
  intervalMs: number | undefined;
  lastOutcome: Outcome | undefined;
  lastReason: string | undefined;
  lastSuccessAt: number | undefined;
  /** End of the last poll. */
  endedAt: number | undefined;
  lastBucketAt: number | undefined;
  bucketWidthMs: number | undefined;
  shareMissing: number | undefined;
  /** Number of operations of the current or last poll. */
  operations = 0;
  /** Number of consecutive failed polls. */
  failures = 0;

  constructor(job: Job, now: number) {
    this.job = job;
    this.phase = fraction(job.id);
    this.since = now - FIRST_POLL_HEAD_START_MS;
  }

  /** Signal of the current poll, which aborts when the job is removed. */
  get signal(): AbortSignal {
    this.#stop ??= stopOfPoll(this.isStopped);
    return this.#stop.signal;
  }

  /** Makes the job due at `at`. Returns true if a poll must start, false if it is due already, runs, or is stopped. */
  due(at: number): boolean {
    if (this.isStopped || this.state === 'waiting') return false;
    // The poll in progress may have read its data before this time.
    if (this.state === 'running') {
      this.dueAgainAt = at;
      return false;
    }
    this.state = 'waiting';
    this.operations = 0;
    this.firstOperationAt = undefined;
    this.request = undefined;
    this.dueAt = at;
    // The work of a follower ages from the time at which it became necessary.
    if (this.job.schedule === undefined) this.since = at;
    return true;
  }

  /** Records that an operation of the poll is sent. */
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

  /** Ends the poll, so that the job can become due again. */
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
    // Urgency does not change during a poll, so that a poll of many operations is not left half done.
    this.since = this.state === 'running' ? (this.startedAt ?? endedAt) : endedAt;
    this.state = 'idle';
    this.dueAt = undefined;
    this.request = undefined;
    // After a failure, other requests of the poll may still be queued; they end with the job.
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
  // A poll may queue one operation per dimension of its metric at once.
  setMaxListeners(0, stop.signal);
  if (isStopped) stop.abort(NO_LONGER_WANTED);
  return stop;
}

/** Returns a fraction (0 to 1) computed from a text: FNV-1a, mixed once more since ids often differ only at their end. */
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
  /** Polls a job. Never rejects. */
  readonly poll: (scheduled: ScheduledJob) => Promise<void>;
}

const MINUTE_MS = 60_000;

/** Maximum number of jobs with a slow schedule that start in the same minute. */
const STARTS_A_MINUTE = 4;

/** Longest time (ms) over which the starts of a slow schedule are spread. */
const WIDEST_SPREAD_MS = 60 * MINUTE_MS;

/** Tolerance (ms): a job that fires this soon after a bucket closed does not wait for the next, since clocks are inexact. */
const JUST_CLOSED_MS = 1_000;

/** First wait (ms) after a failed poll of a slow schedule; it doubles with each further failure. */
const RETRY_MS = MINUTE_MS;
const MOST_DOUBLINGS = 10;

/** Wait (ms) after a failed poll of a follower. */
const FOLLOWER_REST_MS = 5 * MINUTE_MS;

/** Polls jobs when they are due: once at the start, then by their cron pattern. Polls of a job never overlap. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #scheduled = new Map<string, ScheduledJob>();
  /** Jobs by cron pattern. */
  readonly #byPattern = new Map<string, Set<ScheduledJob>>();
  #stopped = false;
  readonly #patterns = new Map<string, () => void>();
  readonly #polls = new Set<Promise<void>>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Replaces the jobs. New jobs become due at once, missing ones are stopped, and the others continue. */
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

  /** Stops all jobs permanently. Resolves when no poll is running. */
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

  /** Makes jobs due when the platform's next bucket closes, by its clock. Starts of slow schedules are spread by whole minutes. */
  #fire(pattern: string, at: number): void {
    const { clock, platformClock } = this.#options;
    const due = [...(this.#byPattern.get(pattern) ?? [])];
    const minutes = this.#minutesFor(pattern, due.length);
    const now = clock.now();
    // A busy machine may fire seconds late. Jobs are due at the scheduled moment.
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

  /** Retries a job with a slow schedule after a temporary failure, before its next scheduled run. */
  #retry(scheduled: ScheduledJob, now: number): void {
    const { job, lastOutcome, failures } = scheduled;
    if (job.schedule === undefined || failures === 0 || lastOutcome === undefined) return;
    if (!isPassing(lastOutcome)) return;
    const wait = RETRY_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
    if (wait < periodOf(job.schedule).longest) this.#due(scheduled, now + wait);
  }

  /** Schedules the next poll after one has ended. */
  #after(scheduled: ScheduledJob): void {
    const { dueAgainAt, endedAt: now = this.#options.clock.now(), job } = scheduled;
    scheduled.dueAgainAt = undefined;
    if (dueAgainAt !== undefined) this.#due(scheduled, Math.max(now, dueAgainAt));
    else this.#retry(scheduled, now);
    const first = job.follows ?? job;
    this.#dueBesides(first, now);
    if (first.follower !== undefined) this.#dueBesides(first.follower, now);
  }

  /** Makes a job due that requests an additional poll. A running job requests it again after its poll. */
  #dueBesides(job: Job, now: number): void {
    const at = job.dueAt?.();
    if (at === undefined) return;
    const scheduled = this.#scheduled.get(job.id) ?? this.#add(job);
    const { endedAt = now, failures } = scheduled;
    const rested = job.follows === undefined || failures === 0 ? now : endedAt + FOLLOWER_REST_MS;
    if (scheduled.state === 'idle') this.#due(scheduled, Math.max(now, at, rested));
  }
}
