/**
 * Why a request may not leave now:
 * - `unauthorized`: the platform refuses the token; one request at a time probes whether it still does
 * - `rate_limited`: the platform has answered 429
 * - `probe`: the answer to a request in flight must first tell what is left of the rate-limit window
 * - `spent`: nothing is left of the window
 * - `reserved`: what is left of the window is for the token's other clients
 * - `pacing`: it brings fresher data after the platform's next bucket has closed
 * - `connections`: as many requests are in flight as the concurrency limit allows
 * - `slow_api`: its API answers slowly, so others go first
 */
export type WaitReason =
  | 'unauthorized'
  | 'rate_limited'
  | 'probe'
  | 'spent'
  | 'reserved'
  | 'pacing'
  | 'connections'
  | 'slow_api';

/** How many requests may leave now, and why not more. */
export interface Decision {
  readonly free: number;
  /** Undefined where `free` is not 0. */
  readonly why: WaitReason | undefined;
  /** When to decide anew (local ms); Infinity where only an answer can change anything. */
  readonly until: number;
}

/** So many requests, at least one, may leave now (local ms). */
export function send(free: number, now: number): Decision {
  return { free, why: undefined, until: now };
}

/** No request may leave until then (local ms). */
export function wait(why: WaitReason, until: number): Decision {
  return { free: 0, why, until };
}

/** What the reasons speak of, for {@link waitText}. */
export interface WaitContext {
  /** The name of the limit scope. */
  readonly scope: string;
  /** How many requests may be in flight at once. */
  readonly concurrency: number;
}

/** Why a request may not leave, as a clause for the status page. */
export function waitText({ why }: Pick<Decision, 'why'>, { scope, concurrency }: WaitContext): string {
  switch (why) {
    case 'unauthorized':
      return 'the platform refuses the token, single requests probe whether it still does';
    case 'rate_limited':
      return `rate limited: the platform refuses ${scope} (429)`;
    case 'probe':
      return `a request in flight will tell what is left of ${scope}`;
    case 'spent':
      return `the quota of ${scope} is used up`;
    case 'reserved':
      return `what is left of ${scope} is reserved for the token’s other clients`;
    case 'pacing':
      return 'held back for the next bucket, which is fresher, or for a probe';
    case 'connections':
      return concurrency === 1 ? 'the connection is in use' : `all ${concurrency} connections are in use`;
    case 'slow_api':
      return 'its API answers slowly, so others go first';
    case undefined:
      return 'about to be sent';
  }
}
