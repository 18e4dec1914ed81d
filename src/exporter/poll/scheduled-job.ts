import { setMaxListeners } from 'node:events';
import type { Outcome } from '../platform/read.ts';
import type { QueuedRequest } from '../rate-limit/decision.ts';
import type { Ending, Job } from './job.ts';

/** State of a job. Times are local ms. */
export interface JobState {
  readonly job: Job;
  readonly state: 'idle' | 'waiting' | 'running';
  /** Time from which the age of its data counts. */
  readonly since: number;
  /** When it became (or becomes) due, while it waits. */
  readonly dueAt: number | undefined;
  /** Its first request, until its poll is over. */
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
}

/** Shared, since thousands of jobs would otherwise each hold a stack trace. */
const NO_LONGER_WANTED = new Error('no longer configured');

/** Jobs that were never polled go first. */
const FIRST_POLL_HEAD_START_MS = 24 * 3_600_000;

/** A job on the schedule. */
export class ScheduledJob implements JobState {
  readonly job: Job;
  /** Its phase (0 to 1) among jobs that fall due together: computed from its id, so that a restart does not change it. */
  readonly phase: number;
  /** Under which names its results are exposed. */
  readonly exposed = new Set<string>();
  /** Of the poll under way: in jobs that rest it would take half a kilobyte each. */
  #stop: AbortController | undefined;
  #isStopped = false;
  since: number;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  dueAt: number | undefined;
  request: QueuedRequest | undefined;
  /** When it fell due again while it was running. */
  dueAgainAt: number | undefined;
  startedAt: number | undefined;
  /** When the first operation left of the poll under way, or of the last one. */
  firstOperationAt: number | undefined;
  intervalMs: number | undefined;
  lastOutcome: Outcome | undefined;
  lastReason: string | undefined;
  lastSuccessAt: number | undefined;
  /** When its last poll failed; undefined where it did not. */
  failedAt: number | undefined;
  lastBucketAt: number | undefined;
  bucketWidthMs: number | undefined;
  /** Operations of the poll under way, or of the last one. */
  operations = 0;
  /** Polls that failed since the last one that did not. */
  failures = 0;

  constructor(job: Job, now: number) {
    this.job = job;
    this.phase = fraction(job.id);
    this.since = now - FIRST_POLL_HEAD_START_MS;
  }

  /** Whether the job is no longer wanted. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Aborts when the job is no longer wanted: of a poll, until that is over. */
  get signal(): AbortSignal {
    this.#stop ??= stopOfPoll(this.#isStopped);
    return this.#stop.signal;
  }

  /** It is due at `at`, unless it is due already. Whether it is to be polled then. */
  due(at: number): boolean {
    if (this.#isStopped || this.state === 'waiting') return false;
    // What it is reading may have been requested before it fell due again.
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
    if (this.startedAt !== undefined) this.intervalMs = now - this.startedAt;
    this.state = 'running';
    this.startedAt = now;
    this.firstOperationAt = now;
  }

  /** Its poll is over and ended like this. */
  end(now: number, { outcome, reason, result }: Ending): void {
    const succeeded = outcome === 'ok' || outcome === 'empty';
    this.lastOutcome = outcome;
    this.lastReason = reason;
    this.failures = succeeded ? 0 : this.failures + 1;
    if (succeeded) this.lastSuccessAt = now;
    this.failedAt = succeeded ? undefined : now;
    this.lastBucketAt = result?.buckets?.newestExposed ?? this.lastBucketAt;
    this.bucketWidthMs = result?.buckets?.width ?? this.bucketWidthMs;
  }

  /** However its poll ended, it may fall due again. */
  rest(now: number): void {
    // During the poll it kept the urgency of its start, so that a poll of many operations is not left half done.
    this.since = this.state === 'running' ? (this.startedAt ?? now) : now;
    this.state = 'idle';
    this.dueAt = undefined;
    this.request = undefined;
    // Of a poll that failed further requests may still wait, which are to end with the job.
    if (this.failures === 0) this.#stop = undefined;
  }

  stop(): void {
    this.#isStopped = true;
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
