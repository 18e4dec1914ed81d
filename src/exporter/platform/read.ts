/** One read of the platform's API: a GET, or a question to the path that accepts questions. */
export interface Resource {
  /** Path below the account's base address, for instance `/analytics/metadata`. */
  readonly path: string;
  /** The `version` of the Accept header (section 9). */
  readonly version: 1 | 2 | 3;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text of a question that only reads. It is sent only to the account's endpoint for questions. */
  readonly question?: string;
}

/** Path and rate limit of GraphQL questions. The platform does not document the limit. */
export const QUESTIONS = {
  path: '/metrics/graphql',
  group: 'graphql',
  /** Assumed limit (operations per minute) until the platform's is known. */
  assumedLimit: 20,
} as const;

/** A successful response. */
export interface Answer {
  /** The JSON document. */
  readonly body: unknown;
  /** Decoded size in bytes. */
  readonly bytes: number;
}

/**
 * Performs one operation within the account's quota. The resource is created when the operation is sent, because a window computed
 * before a long wait would be old.
 * @param group group of operations whose limit applies; default: that of the job
 * @throws PlatformFailure if there is no usable response, and the signal's reason if it aborts
 */
export type Read = (resource: () => Resource, signal: AbortSignal, group?: string) => Promise<Answer>;

/** Failures of a poll; each is handled differently. */
export const FAILURE_OUTCOMES = [
  'unauthorized',
  'forbidden',
  'not_found',
  'not_acceptable',
  'rate_limited',
  'server_error',
  'timeout',
  'network',
  'undecodable',
] as const;

export type FailureOutcome = (typeof FAILURE_OUTCOMES)[number];

/** Outcomes of a poll: data, a successful response without data, or a failure. */
export const OUTCOMES = ['ok', 'empty', ...FAILURE_OUTCOMES] as const;

export type Outcome = (typeof OUTCOMES)[number];

const PASSING: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'rate_limited',
  'unauthorized',
]);

/** Returns true for a temporary failure of the platform or network, after which the same question may succeed. */
export function isPassing(outcome: Outcome): boolean {
  return PASSING.has(outcome);
}

/** Failure of a read of the platform. Its message is safe to log, because it contains no secret. */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure';
  readonly outcome: FailureOutcome;
  /** HTTP status of the response; undefined without a response. */
  readonly status: number | undefined;

  constructor(outcome: FailureOutcome, reason: string, status?: number) {
    super(reason);
    this.outcome = outcome;
    this.status = status;
  }
}
