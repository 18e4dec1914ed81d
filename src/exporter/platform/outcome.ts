/** How a poll can fail, named by what the operator (or the exporter) does next. */
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

/** How a poll ends: with data, with a successful answer that holds none, or with a failure. */
export const OUTCOMES = ['ok', 'empty', ...FAILURE_OUTCOMES] as const;

export type Outcome = (typeof OUTCOMES)[number];

const PASSING: ReadonlySet<Outcome> = new Set([
  'network',
  'timeout',
  'server_error',
  'rate_limited',
  'unauthorized',
]);

/** Whether it is a failure of the platform or of the way to it: the same question may be answered later. */
export function isPassing(outcome: Outcome): boolean {
  return PASSING.has(outcome);
}

/** A read of the platform that brought no usable answer. Its message is safe to log: it holds no secret. */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure';
  readonly outcome: FailureOutcome;
  /** The answer's HTTP status, where there was an answer. */
  readonly status: number | undefined;

  constructor(outcome: FailureOutcome, reason: string, status?: number) {
    super(reason);
    this.outcome = outcome;
    this.status = status;
  }
}
