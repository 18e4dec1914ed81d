import type { ExchangeInfo } from '../platform/client.ts';
import type { Job } from '../poll/job.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import type { PollPart } from '../poll/runner.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { StateWriteFailure } from '../state/state.ts';

import type { DroppedJobs } from './jobs.ts';
import type { DelayChange } from './learned-delays.ts';

/** Receives what an account does, for metrics and logs. */
export interface AccountObserver {
  exchanged(account: string, info: ExchangeInfo, scope: LimitScope): void;
  /** The platform names no limit: so many operations a minute are assumed. */
  assumedLimit(account: string, limit: number): void;
  departed(account: string, scope: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
  /** The state refused to commit what a poll found: it is counted, or found changed, by a later poll. */
  commitRefused(account: string, job: Job, failure: StateWriteFailure): void;
  /** The plan of a limit scope is known; called again when its demand, its allowance, or whether it fits has changed. */
  planned(account: string, plan: Plan): void;
  /** Jobs exceed `limits.jobs`; called again when their number changes. */
  jobsDropped(account: string, dropped: DroppedJobs): void;
  /** A learned delay has become another one. */
  delayChanged(account: string, change: DelayChange): void;
  /** A label value was too long; this is its truncated form. */
  labelShortened(label: string, shown: string): void;
  /** A bug in the exporter: a part of a poll goes on beyond its deadline. */
  overdue(account: string, job: Job, part: PollPart): void;
  /** A bug in the exporter made a poll fail. */
  defect(account: string, job: Job, error: unknown): void;
  /** The account has stopped; `failure` is what went wrong while stopping, if anything. */
  left(account: string, failure?: unknown): void;
}

/** Demand and allowance of an account under one limit scope, in operations per minute. */
export interface Plan {
  readonly scope: string;
  readonly jobs: number;
  readonly perMinute: number;
  readonly allowance: number;
}
