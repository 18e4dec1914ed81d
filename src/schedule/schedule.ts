import { isPassing } from '../platform/outcome.ts';
import type { PlatformClock } from '../platform/platform-clock.ts';
import { type ExecuteOptions, execute } from './execute.ts';
import type { Job } from './job.ts';
import { JobEntry, type JobState } from './job-entry.ts';
import type { Ticker } from './ticker.ts';

export interface ScheduleOptions extends ExecuteOptions {
  readonly ticker: Ticker;
  readonly platformClock: PlatformClock;
}

const MINUTE_MS = 60_000;

/** Jobs of a slow schedule are spread over so many minutes that no more than these start together. */
const STARTS_A_MINUTE = 4;

/** How far (ms) slow schedules are spread at most. */
const WIDEST_SPREAD_MS = 60 * MINUTE_MS;

/** A bucket that closed so recently (ms) is not worth waiting for the next one: clocks are not that exact. */
const JUST_CLOSED_MS = 1_000;

/** A failed poll of a slow schedule is tried again after this time, then after twice as long, and so on. */
const RETRY_MS = MINUTE_MS;
const MOST_DOUBLINGS = 10;

/** Polls jobs when they are due: once at the start, then by their cron pattern, and never one beside itself. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #entries = new Map<string, JobEntry>();
  readonly #patterns = new Map<string, () => void>();
  readonly #polls = new Set<Promise<void>>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Makes these the jobs: new ones become due at once, vanished ones are stopped and withdrawn, the others go on. */
  replace(jobs: readonly Job[]): void {
    const wanted = new Set(jobs);
    for (const entry of this.#entries.values()) {
      if (!wanted.has(entry.job.follows ?? entry.job)) this.#remove(entry);
    }
    for (const job of jobs) {
      if (!this.#entries.has(job.id)) this.#due(this.#add(job), this.#options.clock.now());
    }
    this.#subscribe(new Set(jobs.flatMap(({ schedule }) => schedule ?? [])));
  }

  states(): readonly JobState[] {
    return [...this.#entries.values()];
  }

  /** Stops everything; resolves when no poll runs any more. */
  async stop(): Promise<void> {
    this.#subscribe(new Set());
    for (const entry of this.#entries.values()) entry.stop('the exporter stops');
    await Promise.all(this.#polls);
  }

  #add(job: Job): JobEntry {
    const entry = new JobEntry(job, this.#options.clock.now());
    this.#entries.set(job.id, entry);
    return entry;
  }

  #remove(entry: JobEntry): void {
    this.#entries.delete(entry.job.id);
    entry.stop('no longer wanted');
    entry.job.withdraw?.();
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
   * Whatever falls due does so when the platform's next bucket closes, which by its clock may be another moment than
   * our minute. Of jobs that are due seldom, some are put off by whole minutes, so that they do not come all at once.
   */
  #fire(pattern: string): void {
    const { clock, platformClock } = this.#options;
    const entries = [...this.#entries.values()].filter(({ job }) => job.schedule === pattern);
    const minutes = this.#minutesFor(pattern, entries.length);
    const now = clock.now();
    const bucketClosesAt = Math.max(now, platformClock.nextMinute(now - JUST_CLOSED_MS));
    for (const entry of entries) {
      this.#due(entry, bucketClosesAt + Math.floor(entry.place * minutes) * MINUTE_MS);
    }
  }

  /** Over how many minutes the starts of so many jobs of a pattern are spread. */
  #minutesFor(pattern: string, jobs: number): number {
    const widest = Math.min(this.#options.forecast.periodOf(pattern), WIDEST_SPREAD_MS) / MINUTE_MS;
    return Math.max(1, Math.min(Math.floor(widest), Math.ceil(jobs / STARTS_A_MINUTE)));
  }

  #due(entry: JobEntry, at: number): void {
    if (!entry.due(at)) return;
    const poll = execute(entry, this.#options).then(() => {
      this.#polls.delete(poll);
      if (!entry.signal.aborted) this.#after(entry);
    });
    this.#polls.add(poll);
  }

  /** After a failure that passes by itself, work of a slow schedule does not wait for its next turn. */
  #retry(entry: JobEntry, now: number): void {
    const { job, lastOutcome, failures } = entry;
    if (job.schedule === undefined || failures === 0 || lastOutcome === undefined) return;
    if (!isPassing(lastOutcome)) return;
    const wait = RETRY_MS * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
    if (wait < this.#options.forecast.periodOf(job.schedule)) this.#due(entry, now + wait);
  }

  /** What a poll that is over leaves to be done. */
  #after(entry: JobEntry): void {
    const now = this.#options.clock.now();
    const { dueAgainAt } = entry;
    entry.dueAgainAt = undefined;
    if (dueAgainAt !== undefined) this.#due(entry, Math.max(now, dueAgainAt));
    else this.#retry(entry, now);
    const next = entry.job.followUp?.();
    if (next === undefined) return;
    this.#due(this.#entries.get(next.job.id) ?? this.#add(next.job), Math.max(now, next.notBefore));
  }
}
