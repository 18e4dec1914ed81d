/** One read of the platform's API: a GET, or a question to the one path that takes questions. */
export interface Resource {
  /** Path below the account's base address, for instance `/analytics/metadata`. */
  readonly path: string;
  /** The `version` of the Accept header (section 9). */
  readonly version: 1 | 2 | 3;
  readonly query?: Readonly<Record<string, string>>;
  /** The question, a JSON text that only reads. It goes to the account's endpoint for questions and nowhere else. */
  readonly question?: string;
}

/** Path of GraphQL questions, and their limit, which the platform does not document. */
export const QUESTIONS = {
  path: '/metrics/graphql',
  group: 'graphql',
  /** Operations a minute to begin with. */
  assumedLimit: 20,
} as const;

/** A successful answer. */
export interface Answer {
  /** The JSON document. */
  readonly body: unknown;
  /** Decoded size in bytes. */
  readonly bytes: number;
}

/**
 * Performs one operation under the account's quota. The resource is a function because it is made when the operation
 * leaves: a window computed before a long wait would be old.
 * @param group of operations whose limit it counts against; default: that of the job
 * @throws PlatformFailure if there is no usable answer, and the signal's reason if it aborts
 */
export type Read = (resource: () => Resource, signal: AbortSignal, group?: string) => Promise<Answer>;

/** Failures of a poll, each with a reaction of its own. */
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

/** Outcomes of a poll: data, a successful answer without data, or a failure. */
export const OUTCOMES = ['ok', 'empty', ...FAILURE_OUTCOMES] as const;

export type Outcome = (typeof OUTCOMES)[number];

const PASSING: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'rate_limited',
  'unauthorized',
]);

/** True if it is a failure of the platform or of the way to it: the same question may be answered later. */
export function isPassing(outcome: Outcome): boolean {
  return PASSING.has(outcome);
}

/** A read of the platform that brought no usable answer. Its message is safe to log: it holds no secret. */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure';
  readonly outcome: FailureOutcome;
  /** HTTP status of the answer, if there was one. */
  readonly status: number | undefined;

  constructor(outcome: FailureOutcome, reason: string, status?: number) {
    super(reason);
    this.outcome = outcome;
    this.status = status;
  }
}
