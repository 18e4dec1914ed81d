import type { Clock } from '../clock.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { isPassing } from '../platform/read.ts';
import type { DemandForecast } from '../rate-limit/demand-forecast.ts';
import { runInSlices } from '../slices.ts';
import type { ExposedResults } from './exposed-results.ts';
import type { Job } from './job.ts';
import type { PollRunner } from './runner.ts';
import { type JobState, ScheduledJob } from './scheduled-job.ts';
import type { Ticker } from './ticker.ts';

export interface ScheduleOptions {
  readonly clock: Clock;
  readonly platformClock: PlatformClock;
  readonly ticker: Ticker;
  readonly forecast: DemandForecast;
  readonly runner: PollRunner;
  readonly exposed: Pick<ExposedResults, 'expose' | 'withdraw'>;
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

/** Polls jobs when they are due: once at the start, then by their cron pattern; two polls of a job never overlap. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #scheduled = new Map<string, ScheduledJob>();
  /** Those of each cron pattern. */
  readonly #byPattern = new Map<string, Set<ScheduledJob>>();
  #wanted: ReadonlySet<Job> = new Set();
  #stopped = false;
  readonly #patterns = new Map<string, () => void>();
  readonly #polls = new Set<Promise<void>>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /**
   * Replaces the jobs: new ones become due at once, vanished ones are stopped and withdrawn, the others go on. Done in
   * slices, as there may be thousands.
   */
  replace(jobs: readonly Job[]): void {
    if (this.#stopped) return;
    this.#wanted = new Set(jobs);
    this.#subscribe(new Set(jobs.flatMap(({ schedule }) => schedule ?? [])));
    void runInSlices(this.#replaceAll(this.#wanted));
  }

  *#replaceAll(wanted: ReadonlySet<Job>): Generator<undefined, void> {
    for (const scheduled of this.#scheduled.values()) {
      if (wanted !== this.#wanted) return;
      if (!wanted.has(scheduled.job.follows ?? scheduled.job)) this.#remove(scheduled);
      else {
        const exposure = scheduled.job.relisted?.();
        if (exposure !== undefined) this.#options.exposed.expose(scheduled, [exposure]);
      }
      yield;
    }
    for (const job of wanted) {
      if (wanted !== this.#wanted) return;
      if (!this.#scheduled.has(job.id)) this.#due(this.#add(job), this.#options.clock.now());
      yield;
    }
  }

  states(): readonly JobState[] {
    return [...this.#scheduled.values()];
  }

  /** Stops and withdraws everything, for good; resolves when no poll runs any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wanted = new Set();
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
    this.#options.exposed.withdraw(scheduled);
  }

  #subscribe(patterns: ReadonlySet<string>): void {
    for (const [pattern, unsubscribe] of this.#patterns) {
      if (patterns.has(pattern)) continue;
      unsubscribe();
      this.#patterns.delete(pattern);
    }
    for (const pattern of patterns) {
      if (this.#patterns.has(pattern)) continue;
      const unsubscribe = this.#options.ticker(pattern, () => this.#fire(pattern));
      this.#patterns.set(pattern, unsubscribe);
    }
  }

  /**
   * Jobs become due when the platform's next bucket closes, by its clock. Jobs of slow schedules are spread by whole minutes,
   * so that they do not all come at once.
   */
  #fire(pattern: string): void {
    const { clock, platformClock } = this.#options;
    const due = [...(this.#byPattern.get(pattern) ?? [])];
    const minutes = this.#minutesFor(pattern, due.length);
    const now = clock.now();
    const bucketClosesAt = Math.max(now, platformClock.nextMinute(now - JUST_CLOSED_MS));
    void runInSlices(this.#dueEach(due, (phase) => bucketClosesAt + Math.floor(phase * minutes) * MINUTE_MS));
  }

  *#dueEach(jobs: readonly ScheduledJob[], at: (phase: number) => number): Generator<undefined, void> {
    for (const scheduled of jobs) {
      this.#due(scheduled, at(scheduled.phase));
      yield;
    }
  }

  /** Over how many minutes the starts of a pattern's jobs are spread. */
  #minutesFor(pattern: string, jobs: number): number {
    const widest = Math.min(this.#options.forecast.periodOf(pattern), WIDEST_SPREAD_MS) / MINUTE_MS;
    return Math.max(1, Math.min(Math.floor(widest), Math.ceil(jobs / STARTS_A_MINUTE)));
  }

  #due(scheduled: ScheduledJob, at: number): void {
    if (!scheduled.due(at)) return;
    const poll = this.#options.runner.run(scheduled).then(() => {
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
    if (wait < this.#options.forecast.periodOf(job.schedule)) this.#due(scheduled, now + wait);
  }

  /** Schedules what is to follow a poll that is over. */
  #after(scheduled: ScheduledJob): void {
    const now = this.#options.clock.now();
    const { dueAgainAt } = scheduled;
    scheduled.dueAgainAt = undefined;
    if (dueAgainAt !== undefined) this.#due(scheduled, Math.max(now, dueAgainAt));
    else this.#retry(scheduled, now);
    const next = scheduled.job.followUp?.();
    if (next === undefined) return;
    const follower = this.#scheduled.get(next.job.id) ?? this.#add(next.job);
    // A follower that runs is scheduled again when it is over.
    const { failedAt, job } = follower;
    const rested = failedAt === undefined ? now : failedAt + (job.retryMs ?? 0);
    if (follower.state === 'idle') this.#due(follower, Math.max(now, next.notBefore, rested));
  }
}
