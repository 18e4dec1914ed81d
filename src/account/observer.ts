import type { ExchangeInfo } from '../platform/client.ts';
import type { Job } from '../poll/job.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { StateWriteFailure } from '../state/state.ts';

import type { DroppedJobs } from './jobs.ts';
import type { DelayChange } from './learned-delays.ts';

/** Told what an account does, to be measured and logged. */
export interface AccountObserver {
  exchanged(account: string, info: ExchangeInfo, scope: LimitScope): void;
  /** The platform names no limit: so many operations a minute are assumed. */
  assumedLimit(account: string, limit: number): void;
  departed(account: string, scope: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
  /** The state refused to commit what a poll found: it is counted, or found changed, by a later poll. */
  commitRefused(account: string, job: Job, failure: StateWriteFailure): void;
  /** Of a limit scope it is known what there is to do; told again when that, what may be done, or whether it fits has changed. */
  planned(account: string, plan: Plan): void;
  /** Jobs are left out because of `limits.jobs`; told again when their number has changed. */
  jobsDropped(account: string, dropped: DroppedJobs): void;
  /** A learned delay has become another one. */
  delayChanged(account: string, change: DelayChange): void;
  /** A label value was too long, and is shown like this. */
  labelShortened(label: string, shown: string): void;
  /** A fault of the exporter itself made a poll fail. */
  defect(account: string, job: Job, error: unknown): void;
  /** The account has stopped; `failure` is what went wrong while it did, if anything. */
  left(account: string, failure?: unknown): void;
}

/** What an account has to do under one limit scope, in operations per minute, and what it may do. */
export interface Plan {
  readonly scope: string;
  readonly jobs: number;
  readonly perMinute: number;
  readonly allowance: number;
}
