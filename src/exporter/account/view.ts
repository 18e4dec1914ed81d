import type { Shard } from '../cluster/shard.ts';
import type { ExchangeInfo } from '../platform/exchange.ts';
import type { PollEnd, PollObserver } from '../poll/runner.ts';
import type { JobState } from '../poll/schedule.ts';
import type { DemandForecast, ScopeDemand } from '../rate-limit/demand-forecast.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { DelayChange } from '../settling/learned.ts';
import type { Listing } from './account-targets.ts';
import type { Observed, ObservedPlatform } from './connection.ts';
import type { DroppedJobs } from './jobs.ts';
import type { ChosenSource } from './source-choice.ts';

/** The current state of an account, for the status page, the exporter's own metrics and the readiness check. */
export interface AccountView {
  readonly name: string;
  readonly apiUrl: string;
  /** Which part of it is polled here; undefined: all. */
  readonly shard?: Shard | undefined;
  /** Hash of whose account it is, the same in every exporter; undefined before there is a token. */
  id(): string | undefined;
  /** Share of each limit to leave to the token's other clients. */
  readonly reserve: number;
  readonly platform: ObservedPlatform;
  readonly queue: RequestQueue;
  readonly forecast: Pick<DemandForecast, 'perMinute' | 'stretch' | 'periodOf' | 'plannedIntervalOf'>;
  /** Local ms; undefined where it is not known. */
  tokenExpiresAt(): number | undefined;
  jobs(): readonly JobState[];
  /** Whether it has just begun, so that its jobs are still being made: until the first minute that begins. */
  isBeginning(): boolean;
  /** The lists of configurations, which say what is to be read, and how reading them went. */
  listings(): readonly Listing[];
  /** Which of the platform's APIs the series of each collector are read by, and why. */
  sources(): readonly ChosenSource[];
  /** Why the account is not alive, as a sentence; undefined if it is. */
  silence(): string | undefined;
}

/** If the scheduler has not run for this long, it is considered dead. */
const LONGEST_SILENCE_MS = 150_000;

/** Something must have been polled within this many of the shortest polling interval. */
const LONGEST_SILENCE_INTERVALS = 3;

/** The shortest interval (ms) at which any job is polled now; Infinity if none was polled. */
export function shortestInterval(
  jobs: readonly JobState[],
  forecast: Pick<DemandForecast, 'intervalOf'>,
): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const { job, startedAt } of jobs) {
    if (job.schedule === undefined || startedAt === undefined) continue;
    shortest = Math.min(shortest, forecast.intervalOf(job));
  }
  return shortest;
}

/** What shows whether an account is alive; times are local ms. */
export interface Liveness {
  readonly now: number;
  /** When the scheduler ran last, which it does every minute. */
  readonly beatAt: number;
  /** When something was polled last. */
  readonly polledAt: number;
  /** Without it polls wait longer and longer, which is no reason to restart: `edge_up` shows it. */
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

/** Called with what an account does, for metrics and logs. */
export interface AccountObserver extends PollObserver {
  exchanged(account: string, info: ExchangeInfo, observed: Observed): void;
  /** A request has waited so long (ms) for its turn. */
  departed(account: string, waitedMs: number): void;
  polled(account: string, end: PollEnd): void;
  /**
   * What the jobs ask of each limit scope, every minute.
   * @param surveyed whether it is known what there is to poll: too much stays too much whatever else is found, but
   *   that a plan fits is known only then
   */
  planned(account: string, demands: readonly ScopeDemand[], surveyed: boolean): void;
  /** Series are read by this source from now on. */
  sourceChosen(account: string, chosen: ChosenSource): void;
  /** Jobs exceed `limits.jobs`; called again when their number changes. */
  jobsDropped(account: string, dropped: DroppedJobs): void;
  /** A learned delay has become another one. */
  delayChanged(account: string, change: DelayChange): void;
  /** A label value was too long; this is its truncated form. */
  labelShortened(label: string, shown: string): void;
  /** These are the collectors that have jobs from now on. */
  collects(account: string, collectors: ReadonlySet<string>): void;
  /** Something went wrong while the account stopped. */
  stopFailed(account: string, failure: unknown): void;
  /** The account has stopped, and none of its name takes its place. */
  left(account: string): void;
}
