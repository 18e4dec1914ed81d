import type { Outcome } from './platform/read.ts';
import type { WaitReason } from './rate-limit/decision.ts';

/** Shard of this process, from 0, and the kind of objects that the shards divide. */
export interface ShardStatus {
  readonly index: number;
  readonly of: number;
  readonly by: 'accounts' | 'configurations';
}

/** Receiver, and the samples in its queue. */
export interface ReceiverStatus {
  readonly name: string;
  readonly protocol: string;
  /** Number of queued samples; `null` until the queue of an earlier run is known. */
  readonly samples_waiting: number | null;
  readonly bytes_waiting: number | null;
  /** Time since which the oldest sample is queued; `null` if the queue is empty. */
  readonly oldest_waiting_at: string | null;
  readonly last_success_at: string | null;
  /** Why the last request failed; empty if it succeeded. */
  readonly note: string;
}

/** Source of the running configuration, and the result of the last reload. */
export interface ConfigStatus {
  /** Path of a file, or a word such as `environment`. */
  readonly source: string;
  readonly loaded_at: string;
  readonly last_reload_successful: boolean;
  /** Errors of the last reload; empty if it succeeded. */
  readonly issues: readonly string[];
}

/** Durability of counters. */
export interface StateStatus {
  readonly kind: 'durable' | 'memory' | 'unavailable';
  /** Directory of the state. With the kind `unavailable` it cannot be used yet, and counters are withheld. */
  readonly directory?: string;
  readonly note?: string;
  /** Why the last commit was refused, since when counters stand still; absent if it succeeded. */
  readonly refusal?: string;
}

/** Account of the platform: its token, its quota and its jobs. */
export interface ObservedAccount {
  readonly name: string;
  readonly api_url: string;
  /** Kind of credentials: a configured token, a token file, or a user whose tokens the exporter creates. */
  readonly credentials: 'token' | 'token_file' | 'password';
  /** Source of the series of each collector, and the reason for it. */
  readonly sources: readonly SourceStatus[];
  /** True if the platform answers and accepts the token; `null` until that is known. */
  readonly up: boolean | null;
  /** Time of the last change of `up`; `null` until it is known. */
  readonly up_since: string | null;
  /** Why the account is not up, as a sentence; empty if it is up. */
  readonly note: string;
  /** Time of the next request of an account that is down; `null` if it is up, or if a request is due now. */
  readonly next_try_at: string | null;
  readonly token_expires_at: string | null;
  /** Platform's clock minus the machine's clock (s). */
  readonly clock_skew_seconds: number;
  /** Clock that was stepped since the start, if that explains the difference; `null` if unknown. */
  readonly clock_moved: 'platform' | 'machine' | null;
  readonly quota: readonly QuotaStatus[];
  /** Planned operations per minute. */
  readonly demand_per_minute: number;
  /** Factor by which intervals are longer than configured; 1 if the quota suffices. */
  readonly stretch: number;
  /** Configured names that match no configuration of the platform. */
  readonly unmatched: readonly string[];
  /** Number of selected configurations that are not read, since they have no domain and the API takes ids of domains. */
  readonly without_domains: number;
  readonly jobs: readonly JobStatus[];
}

/** API that a collector's series are read from. */
export interface SourceStatus {
  readonly collector: string;
  readonly source: 'rest' | 'graphql';
  readonly why: string;
  /** Fields that the source lacks, as `dataset.field`. */
  readonly missing: readonly string[];
}

/** Limit scope of the platform, as of its last headers. */
export interface QuotaStatus {
  readonly scope: string;
  readonly limit: number | null;
  /** Operations per minute that are assumed while the platform names no limit; `null` if it names one. */
  readonly assumed_limit: number | null;
  readonly remaining: number | null;
  /** Time at which the platform named the remaining operations; `null` if it named none. */
  readonly remaining_at: string | null;
  /** Operations of this exporter since the window opened, or within a minute if no window is known. */
  readonly own: number;
  /** Observed operations per minute of the token's other clients. */
  readonly others_per_minute: number;
  readonly reset_at: string | null;
  /** Share of the limit (0 to 1) that is reserved for the token's other clients. */
  readonly reserve: number;
  readonly waiting: number;
  /** Time until which a 429 stops this scope; `null` if none does. */
  readonly stopped_until: string | null;
  readonly note: string;
}

/** Job that is polled repeatedly, with the state of its polls. */
export interface JobStatus {
  readonly id: string;
  readonly collector: string;
  readonly product?: string | undefined;
  readonly configuration_id?: string | undefined;
  readonly configuration?: string | undefined;
  readonly metric?: string | undefined;
  /** Id of the job that this one follows. A follower fills holes in the counters of that job, and has no data of its own. */
  readonly catches_up_for?: string | undefined;
  /** Cron pattern, or "as needed". */
  readonly schedule: string;
  /** State; `waiting` means due but not started. */
  readonly state: 'idle' | 'waiting' | 'running';
  /** Why the job waits, as a sentence; empty if it does not wait. */
  readonly why: string;
  /** Wait reason of its next request; `null` if it does not wait, or only for more urgent requests. */
  readonly waits_for: WaitReason | null;
  /** Current interval between polls (s), stretched by the quota; `null` until it is known. */
  readonly interval_seconds: number | null;
  /** Start of the last poll that sent a request; `null` before the first. */
  readonly last_polled_at: string | null;
  /** Outcome of the last poll; `null` before the first has ended. */
  readonly last_outcome: Outcome | null;
  readonly last_reason: string | null;
  readonly last_success_at: string | null;
  /** Start of the newest exposed bucket, by the platform's clock; `null` before the first. */
  readonly last_bucket_at: string | null;
  /** Time (s) since the newest bucket ended, by the platform's clock. */
  readonly data_age_seconds: number | null;
  /** Expected maximum of that age (s): publish delay, interval of the schedule and bucket width. */
  readonly expected_age_seconds: number | null;
  /** Expected maximum of that age (s) at the interval that the quota allows. */
  readonly allowed_age_seconds: number | null;
  /** Share of missing buckets (0 to 1) in the platform's last answer; `null` if no answer has shown it. */
  readonly missing_share: number | null;
  /** Time until which its counters are complete, by the platform's clock; `null` if it counts nothing. */
  readonly counted_until: string | null;
  /** Age (s) of `counted_until`, by the platform's clock. */
  readonly counted_age_seconds: number | null;
  /** Expected maximum of that age (s): settle delay, interval and bucket width. */
  readonly expected_counted_age_seconds: number | null;
  /** Time at which the job is due, or if it waits, its expected start; `null` if only an answer can tell. */
  readonly next_at: string | null;
}
