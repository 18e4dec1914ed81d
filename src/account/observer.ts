import type { ExchangeInfo } from '../platform/exchange.ts';
import type { Job } from '../poll/job.ts';
import type { PollEnd } from '../poll/poll-end.ts';
import type { PollPart } from '../poll/runner.ts';
import type { ScopeDemand } from '../rate-limit/demand-forecast.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { StateWriteFailure } from '../state/state.ts';
import type { DroppedJobs } from './jobs.ts';
import type { DelayChange } from './learned-delays.ts';

/** Receives what an account does, for metrics and logs. */
export interface AccountObserver {
  exchanged(account: string, info: ExchangeInfo, scope: LimitScope): void;
  /** A request has waited so long (ms) for its turn. */
  departed(account: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
  /** The state refused to commit what a poll found: it is counted, or found changed, by a later poll. */
  commitRefused(account: string, job: Job, failure: StateWriteFailure): void;
  /**
   * What the jobs ask of each limit scope, every minute.
   * @param surveyed whether it is known what there is to poll: too much stays too much whatever else is found, but
   *   that a plan fits is known only then
   */
  planned(account: string, demands: readonly ScopeDemand[], surveyed: boolean): void;
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
