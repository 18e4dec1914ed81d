import type { Outcome } from '../platform/outcome.ts';
import type { Job, PollReport } from './job.ts';

/** How a job stands. Times are local ms. */
export interface JobState {
  readonly job: Job;
  readonly state: 'idle' | 'waiting' | 'running';
  /** When it became (or becomes) due, while it waits. */
  readonly dueAt: number | undefined;
  readonly startedAt: number | undefined;
  /** Between the last two starts. */
  readonly intervalMs: number | undefined;
  readonly lastOutcome: Outcome | undefined;
  readonly lastReason: string | undefined;
  readonly lastSuccessAt: number | undefined;
  /** Start of the newest bucket shown (platform ms). */
  readonly lastBucketAt: number | undefined;
}

/** What was never polled goes before what was. */
const FIRST_POLL_HEAD_START_MS = 24 * 3_600_000;

/** A job on the schedule, from when it is wanted until it is not. */
export class JobEntry implements JobState {
  readonly job: Job;
  /** Share (0 to 1) of the spread by which its starts are put off: by its id only, so the same after a restart. */
  readonly spread: number;
  readonly #stop = new AbortController();
  readonly #since: number;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  dueAt: number | undefined;
  startedAt: number | undefined;
  intervalMs: number | undefined;
  lastOutcome: Outcome | undefined;
  lastReason: string | undefined;
  lastSuccessAt: number | undefined;
  lastBucketAt: number | undefined;

  constructor(job: Job, now: number) {
    this.job = job;
    this.spread = fraction(job.id);
    this.#since = now;
  }

  /** Aborts when the job is no longer wanted. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** How much it matters that its next operation leaves: its weight times the age of what it has. */
  urgency(now: number): number {
    return this.job.weight * (now - (this.startedAt ?? this.#since - FIRST_POLL_HEAD_START_MS));
  }

  /** Its first operation leaves. */
  start(now: number): void {
    if (this.state !== 'waiting') return;
    if (this.startedAt !== undefined) this.intervalMs = now - this.startedAt;
    this.state = 'running';
    this.startedAt = now;
  }

  end(now: number, outcome: Outcome, reason: string | undefined, report: PollReport | undefined): void {
    this.lastOutcome = outcome;
    this.lastReason = reason;
    if (report !== undefined) this.lastSuccessAt = now;
    if (report?.lastBucketAt !== undefined) this.lastBucketAt = report.lastBucketAt;
  }

  stop(reason: string): void {
    this.#stop.abort(new Error(reason));
  }
}

function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) / 2 ** 32;
}
