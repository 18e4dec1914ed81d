import type { ExchangeInfo } from '../platform/exchange.ts';
import type { PollEnd, PollObserver } from '../poll/runner.ts';
import type { JobState } from '../poll/scheduled-job.ts';
import type { DemandForecast, ScopeDemand } from '../rate-limit/demand-forecast.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { DelayChange } from '../settling/delays.ts';
import type { Listing } from './account-targets.ts';
import type { ObservedPlatform } from './connection.ts';
import type { DroppedJobs } from './jobs.ts';

/** The current state of an account, for the status page, the exporter's own metrics and the readiness check. */
export interface AccountView {
  readonly name: string;
  readonly apiUrl: string;
  /** Share of each limit to leave to the token's other clients. */
  readonly reserve: number;
  readonly platform: ObservedPlatform;
  readonly queue: RequestQueue;
  readonly forecast: Pick<DemandForecast, 'perMinute' | 'stretch' | 'periodOf' | 'intervalOf'>;
  /** Local ms; undefined where it is not known. */
  tokenExpiresAt(): number | undefined;
  jobs(): readonly JobState[];
  /** How the lists of configurations fare that tell what is to be read. */
  listings(): readonly Listing[];
  /** Why the account is not alive, as a sentence; undefined if it is. */
  silence(): string | undefined;
}

/** Why an account is not ready, as a sentence; undefined if it is. */
export function notReady({ name, platform, silence }: AccountView): string | undefined {
  const { answered, note } = platform.reachability;
  if (!answered) {
    const why = note === '' ? '' : `: ${note}`;
    return `account ${name}: the platform has not answered yet${why}`;
  }
  const silent = silence();
  return silent === undefined ? undefined : `account ${name}: ${silent}`;
}

/** If the scheduler has not run for this long, it is considered dead. */
const LONGEST_SILENCE_MS = 150_000;

/** Something must have been polled within this many of the shortest polling interval. */
const LONGEST_SILENCE_INTERVALS = 3;

/** What shows whether an account is alive; times are local ms. */
export interface Liveness {
  readonly now: number;
  /** When the scheduler ran last, which it does every minute. */
  readonly beatAt: number;
  /** When something was polled last. */
  readonly polledAt: number;
  /** While the platform is down, polls wait longer and longer: `edge_up` tells, and its metrics must be seen. */
  readonly platformUp: boolean;
  /** At which any job is polled now. */
  readonly shortestIntervalMs: number;
}

/** Why an account is not alive, as a sentence; undefined if it is. */
export function silenceOf(liveness: Liveness): string | undefined {
  const { now, beatAt, polledAt, platformUp, shortestIntervalMs } = liveness;
  const beatMs = now - beatAt;
  if (beatMs > LONGEST_SILENCE_MS) return `the scheduler has not run for ${Math.round(beatMs / 1_000)} s`;
  const polledMs = now - polledAt;
  if (!platformUp || polledMs <= LONGEST_SILENCE_INTERVALS * shortestIntervalMs) return undefined;
  return `nothing was polled for ${Math.round(polledMs / 1_000)} s`;
}

/** Is told what an account does, for metrics and logs. */
export interface AccountObserver extends PollObserver {
  exchanged(account: string, info: ExchangeInfo, scope: LimitScope): void;
  /** A request has waited so long (ms) for its turn. */
  departed(account: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
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
  /** The account has stopped; `failure` is what went wrong while stopping, if anything. */
  left(account: string, failure?: unknown): void;
}
