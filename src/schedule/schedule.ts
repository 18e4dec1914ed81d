import { type ExecuteOptions, execute } from './execute.ts';
import type { Job } from './job.ts';
import { JobEntry, type JobState } from './job-entry.ts';
import type { Ticker } from './ticker.ts';

export interface ScheduleOptions extends ExecuteOptions {
  readonly ticker: Ticker;
  /** How far (ms) the starts of jobs that fall due together are spread. */
  readonly spreadMs: number;
}

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
      if (!this.#entries.has(job.id)) this.#due(this.#add(job), 0);
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

  #fire(pattern: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.job.schedule === pattern) this.#due(entry, entry.spread * this.#options.spreadMs);
    }
  }

  #due(entry: JobEntry, delayMs: number): void {
    if (entry.state !== 'idle' || entry.signal.aborted) return;
    entry.state = 'waiting';
    entry.dueAt = this.#options.clock.now() + delayMs;
    const poll = execute(entry, this.#options).then(() => {
      this.#polls.delete(poll);
      if (!entry.signal.aborted) this.#followUp(entry.job);
    });
    this.#polls.add(poll);
  }

  #followUp(job: Job): void {
    const next = job.followUp?.();
    if (next === undefined) return;
    const entry = this.#entries.get(next.job.id) ?? this.#add(next.job);
    this.#due(entry, Math.max(0, next.notBefore - this.#options.clock.now()));
  }
}
