import type { Sample } from '../catalogue/family.ts';
import type { Clock } from '../clock.ts';
import { type Shard, shardText } from '../cluster/shard.ts';
import { partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { factsOf } from '../facts/facts.ts';
import { isPassing } from '../platform/read.ts';
import type { ObservedPlatform } from '../poll/observed-platform.ts';
import type { Commit, PollObserver } from '../poll/runner.ts';
import type { JobState } from '../poll/schedule.ts';
import type { LimitScope } from '../rate-limit/limit-scopes.ts';
import type { PollIntervals, ScopeDemand } from '../rate-limit/poll-intervals.ts';
import { WINDOW_MS } from '../rate-limit/rate-limit-window.ts';
import type { RequestQueue } from '../rate-limit/request-queue.ts';
import type { ObservedAccount, QuotaStatus } from '../status.ts';
import type { AccountStatus } from '../status-document.ts';
import type { DroppedJobs } from './account-series.ts';
import type { ChosenSource } from './account-sources.ts';
import type { Listing } from './account-targets.ts';
import type { Connection } from './connection.ts';
import { isoTime, jobStatus, type LocalTime } from './job-status.ts';

/** Current state of an account, for the status page, the exporter's own metrics and the readiness check. */
export interface AccountView {
  readonly name: string;
  readonly apiUrl: string;
  /** Kind of the credentials. */
  readonly credentials: AccountStatus['credentials'];
  /** Shard of the account that this exporter polls; undefined for the whole account. */
  readonly shard?: Shard | undefined;
  /** Hash of the account's identity, equal in every exporter; undefined until a token is read. */
  id(): string | undefined;
  /** Share of each limit that is reserved for the token's other clients. */
  readonly reserve: number;
  readonly platform: ObservedPlatform;
  readonly queue: RequestQueue;
  readonly intervals: Pick<PollIntervals, 'of' | 'perMinute' | 'stretch'>;
  /** Returns the expiry of the token (local ms); undefined if it is not known. */
  tokenExpiresAt(): number | undefined;
  tokenRenewsAt(): number | undefined;
  jobs(): readonly JobState[];
  /** Returns true until the first whole minute, while jobs are still being made. */
  isBeginning(): boolean;
  /** Returns the lists of configurations that were tried, with the result of the last attempt. */
  listings(): readonly Listing[];
  /** Returns the source of each collector's series, for collectors whose source is known. */
  sources(): readonly ChosenSource[];
  /** Returns the status that was computed last, at most a minute ago, without jobs; undefined before the first. */
  lastLook(): AccountStatus | undefined;
}

/** Returns the view of an account with this connection. */
export function viewOf(
  config: AccountConfig,
  { platform, queue, credentials }: Pick<Connection, 'platform' | 'queue' | 'credentials'>,
  intervals: PollIntervals,
  own: Pick<AccountView, 'id' | 'jobs' | 'isBeginning' | 'listings' | 'sources' | 'lastLook'>,
): AccountView {
  return {
    name: config.name,
    apiUrl: config.api_url,
    credentials: config.credentials.kind,
    shard: config.shard,
    reserve: config.quota.reserve,
    platform,
    queue,
    intervals,
    tokenExpiresAt: () => credentials.expiresAt(),
    tokenRenewsAt: () => credentials.renewsAt(),
    ...own,
  };
}

/** Push output for samples. It commits them with each poll, and can replace `/metrics`. */
export interface PushOutput {
  readonly commit: Commit;
  /** Returns true if `/metrics` exposes a sample although it is pushed. */
  exposes(sample: Sample): boolean;
}

/** Current push output of an account; undefined while nothing is pushed. */
export interface PushDestination {
  pushed: PushOutput | undefined;
}

/** Observer of an account's actions, for metrics and logs. */
export interface AccountObserver extends PollObserver {
  /**
   * Reports the demand of the jobs on each limit scope, every minute.
   * @param surveyed true if every list was read or refused, so that the demand is complete
   */
  planned(account: string, demands: readonly ScopeDemand[], surveyed: boolean): void;
  /** Reports the source that a collector's series are read from, from now on. */
  sourceChosen(account: string, chosen: ChosenSource): void;
  /** Reports the series above `limits.jobs`, each time that jobs are made. */
  jobsDropped(account: string, dropped: DroppedJobs): void;
  /** Reports a label value that was too long, with its truncated form. */
  labelShortened(label: string, shown: string): void;
  /** Reports the collectors that have jobs from now on. */
  collects(account: string, collectors: ReadonlySet<string>): void;
  /** Reports a failure while the account stopped. */
  stopFailed(account: string, failure: unknown): void;
  /** Reports that the account has stopped, and that no account of the same name replaces it. */
  left(account: string): void;
}

/** Returns why an account is not ready, as a sentence; undefined once a read has succeeded. */
export function notReady(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): string | undefined {
  const { name, platform } = view;
  const { answered, note } = platform.reachability;
  if (!answered) {
    const why = note === '' ? '' : `: ${note}`;
    return `account ${name}: the platform has not answered yet${why}`;
  }
  const wasRead = view
    .jobs()
    .some(({ lastSuccessAt, startedAt }) => lastSuccessAt !== undefined && startedAt !== undefined);
  if (wasRead) return undefined;
  const { facts } = view.lastLook() ?? accountStatus(view, clock);
  const [{ text } = { text: 'the first polls are under way' }] = facts.causes;
  return `account ${name}: nothing was read yet: ${text}`;
}

/** Returns the status of an account for the status page, with times by the machine's current clock. */
export function accountStatus(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): AccountStatus {
  const observed = observedAccount(view, clock);
  return { ...observed, facts: factsOf(observed, clock.wall(), view.lastLook()?.facts) };
}

function observedAccount(view: AccountView, clock: Pick<Clock, 'now' | 'wall'>): ObservedAccount {
  const now = clock.now();
  const aheadMs = clock.wall() - now;
  const time: LocalTime = (local) => isoTime(local === undefined ? undefined : local + aheadMs);
  const { name, apiUrl, platform, intervals } = view;
  const listings = view.listings();
  const platformNow = platform.platformClock.now();
  const moment = { view, decide: view.queue.decide(now), now, platformNow, time };
  return {
    name,
    api_url: apiUrl,
    credentials: view.credentials,
    sources: view.sources(),
    up: platform.reachability.up ?? null,
    up_since: time(platform.reachability.since),
    note: platform.reachability.note,
    next_try_at: platform.reachability.up === false ? time(nextTryAt(view, now)) : null,
    token_expires_at: time(view.tokenExpiresAt()),
    clock_skew_seconds: platform.platformClock.wallSkewMs / 1_000,
    clock_moved: platform.platformClock.moved ?? null,
    quota: quotaStatus(view, now, time),
    demand_per_minute: intervals.perMinute,
    stretch: intervals.stretch,
    unmatched: listings.flatMap(({ unmatched }) => unmatched),
    without_domains: listings.reduce((sum, { withoutDomains }) => sum + withoutDomains, 0),
    jobs: view.jobs().map((job) => jobStatus(job, moment)),
  };
}

/** Returns the time (local ms) of the next request, queued or of the next due job; undefined if it is due or unknown. */
function nextTryAt({ queue, jobs }: AccountView, now: number): number | undefined {
  const restsUntil = queue.restsUntil(now);
  if (restsUntil !== undefined) return restsUntil;
  let next: number | undefined;
  for (const { state, dueAt } of jobs()) {
    if (state !== 'waiting' || dueAt === undefined) continue;
    if (dueAt <= now) return undefined;
    if (next === undefined || dueAt < next) next = dueAt;
  }
  return next;
}

function quotaStatus(
  { platform, queue, reserve, shard }: AccountView,
  now: number,
  time: LocalTime,
): QuotaStatus[] {
  return platform.scopes.all.map(({ name, limiter }) => {
    const window = limiter.openWindow(now);
    const notes = [...(shard === undefined ? [] : [shardText(shard)]), quotaNote(limiter, now, time)];
    return {
      scope: name,
      limit: limiter.limit ?? null,
      assumed_limit: limiter.limit === undefined ? (limiter.guessedPerMinute ?? limiter.limitInUse) : null,
      remaining: window?.remaining ?? null,
      remaining_at: time(window?.seenAt),
      own: window?.own ?? limiter.answeredSince(now - WINDOW_MS).length,
      others_per_minute: limiter.othersPerMinute,
      reset_at: time(window?.closesAt),
      reserve,
      waiting: queue.waiting(now, name),
      stopped_until: time(limiter.stoppedUntil(now)),
      note: notes.filter((note) => note !== '').join('; '),
    };
  });
}

function quotaNote(limiter: LimitScope['limiter'], now: number, time: LocalTime): string {
  const retryAt = time(limiter.retryAt(now));
  if (retryAt !== null) {
    return `the platform asks to wait until ${retryAt}; one request probes at least every 15 min`;
  }
  if (limiter.guessedPerMinute !== undefined)
    return 'the platform names no limit: fewer once it refuses any, and more again after that';
  return limiter.limit === undefined
    ? 'the platform has not named a limit yet: quota.assumed_limit applies'
    : '';
}

/** Returns true if every list was read or permanently refused once, so that the set of jobs is complete. */
export function isSurveyed(states: readonly JobState[]): boolean {
  const lists = states.filter(({ job }) => partOf(job) === 'discovery' || partOf(job) === 'settings');
  return lists.every(
    ({ lastSuccessAt, lastOutcome }) =>
      lastSuccessAt !== undefined || (lastOutcome !== undefined && !isPassing(lastOutcome)),
  );
}
