import type { Outcome } from './platform/read.ts';
import type { WaitReason } from './rate-limit/decision.ts';

/** One of several processes, from 0, and what they divide. */
export interface ShardStatus {
  readonly index: number;
  readonly of: number;
  readonly by: 'accounts' | 'configurations';
}

/** A receiver, and what waits for it. */
export interface ReceiverStatus {
  readonly name: string;
  readonly protocol: string;
  /** `null` until it is known what an earlier run left. */
  readonly samples_waiting: number | null;
  readonly bytes_waiting: number | null;
  /** Time since when the oldest sample has waited; `null` if none waits. */
  readonly oldest_waiting_at: string | null;
  readonly last_success_at: string | null;
  /** Why the last request failed; empty when it did not. */
  readonly note: string;
}

/** Origin of the running configuration, and the result of the last reload. */
export interface ConfigStatus {
  /** A file's path, or a word such as `environment`. */
  readonly source: string;
  readonly loaded_at: string;
  readonly last_reload_successful: boolean;
  /** Issues of the last reload; empty if it succeeded. */
  readonly issues: readonly string[];
}

/** Durability of counters. */
export interface StateStatus {
  readonly kind: 'durable' | 'memory' | 'unavailable';
  /** Directory of the state. With the kind `unavailable` it cannot be used yet, and counters are withheld. */
  readonly directory?: string;
  readonly note?: string;
  /** Why the last commit was refused; absent when it was not. Meanwhile counters stand still. */
  readonly refusal?: string;
}

/** One account of the platform: its token, its quota and its jobs. */
export interface ObservedAccount {
  readonly name: string;
  readonly api_url: string;
  /** Credentials: a token as configured, one in a file, or a user whose tokens the exporter creates. */
  readonly credentials: 'token' | 'token_file' | 'password';
  /** Sources of the series of each collector, and the reasons. */
  readonly sources: readonly SourceStatus[];
  /** True if the platform answers and accepts the token; null until that is known. */
  readonly up: boolean | null;
  /** Time since when it has been up, or down; `null` until that is known. */
  readonly up_since: string | null;
  /** Why the account is not up, in plain words; empty when there is nothing to say. */
  readonly note: string;
  /** Time at which an account that is down is tried again; `null` if it is up, or being tried now. */
  readonly next_try_at: string | null;
  readonly token_expires_at: string | null;
  /** The platform's clock minus ours. */
  readonly clock_skew_seconds: number;
  /** Clock that has moved since the start, if that is why the clocks differ; `null` if unknown. */
  readonly clock_moved: 'platform' | 'machine' | null;
  readonly quota: readonly QuotaStatus[];
  /** Operations per minute that the plan asks for. */
  readonly demand_per_minute: number;
  /** Factor by which intervals are longer than configured; 1 if the quota suffices. */
  readonly stretch: number;
  /** Configured names that match no configuration of the platform. */
  readonly unmatched: readonly string[];
  /** Selected configurations that are not read, as they have no domain and the API takes ids of domains. */
  readonly without_domains: number;
  readonly jobs: readonly JobStatus[];
}

/** API that a collector's series are read from. */
export interface SourceStatus {
  readonly collector: string;
  readonly source: 'rest' | 'graphql';
  readonly why: string;
  /** Fields that the source does not have, as `dataset.field`. */
  readonly missing: readonly string[];
}

/** One limit scope of the platform, as its last headers said. */
export interface QuotaStatus {
  readonly scope: string;
  readonly limit: number | null;
  /** Operations a minute that are assumed while the platform names no limit; `null` where it names one. */
  readonly assumed_limit: number | null;
  readonly remaining: number | null;
  /** Time at which the platform said what remains. */
  readonly remaining_at: string | null;
  /** Operations of this exporter that were answered since the window opened, or within a minute where none is known. */
  readonly own: number;
  /** Operations per minute that the token's other clients take, as far as observed. */
  readonly others_per_minute: number;
  readonly reset_at: string | null;
  /** Share of the limit left to the token's other clients, 0 to 1. */
  readonly reserve: number;
  readonly waiting: number;
  /** Set while the platform has refused this scope (429). */
  readonly stopped_until: string | null;
  readonly note: string;
}

/** One thing that is polled again and again, and how that goes. */
export interface JobStatus {
  readonly id: string;
  readonly collector: string;
  readonly product?: string | undefined;
  readonly configuration_id?: string | undefined;
  readonly configuration?: string | undefined;
  readonly metric?: string | undefined;
  /** The id of the job that it catches up for; it brings what that one's counters missed, and shows no data of its own. */
  readonly catches_up_for?: string | undefined;
  /** A cron expression, or "as needed". */
  readonly schedule: string;
  /** It waits when it is due and has not begun. */
  readonly state: 'idle' | 'waiting' | 'running';
  /** Why it waits, in plain words; empty when there is nothing to say. */
  readonly why: string;
  /** Reason why its next request waits; `null` if it does not, or waits for its turn only. */
  readonly waits_for: WaitReason | null;
  /** Time between polls as it is now, stretched by the quota; `null` until it is known. */
  readonly interval_seconds: number | null;
  /** Start of its last poll that asked the platform anything; `null` before the first. */
  readonly last_polled_at: string | null;
  /** `null` before the first poll has ended. */
  readonly last_outcome: Outcome | null;
  readonly last_reason: string | null;
  readonly last_success_at: string | null;
  /** Start of the newest bucket that is held, by the platform's clock. */
  readonly last_bucket_at: string | null;
  /** Time since the newest bucket ended, by the platform's clock. */
  readonly data_age_seconds: number | null;
  /** Expected maximum of that age: publish delay, interval of the schedule and width of a bucket. */
  readonly expected_age_seconds: number | null;
  /** Expected maximum of that age at the interval that the quota allows. */
  readonly allowed_age_seconds: number | null;
  /** Share of buckets that the platform's last answer lacked, 0 to 1; `null` where none has shown it. */
  readonly missing_share: number | null;
  /** Time until which its counters hold every bucket, by the platform's clock; `null` if it counts nothing. */
  readonly counted_until: string | null;
  /** Time since then, by the platform's clock. */
  readonly counted_age_seconds: number | null;
  /** Expected maximum of that time: settle delay, interval and width of a bucket. */
  readonly expected_counted_age_seconds: number | null;
  /** Time at which it is due; while it waits, the likely time of its turn; null if only an answer of the platform can tell. */
  readonly next_at: string | null;
}
