import type { PlannedJob } from './planned-job.ts';

/** What is known of the limit that a group of operations draws on. Operations are per minute, the length of a window. */
export interface ScopeLimit {
  readonly name: string;
  readonly limit: number;
  /** Who named the limit: the platform's headers, or the configuration or command line in their place. */
  readonly namedBy: 'platform' | 'assumption';
  /** Share of the limit (0 to 1) left to the token's other clients. */
  readonly reserve: number;
  /** What is left of the limit after the reserve. */
  readonly allowance: number;
}

/** A job with the interval (ms) at which it will really be polled, and the scope that it draws on. */
export interface ExpectedJob extends PlannedJob {
  readonly intervalMs: number;
  readonly scope: string;
}
