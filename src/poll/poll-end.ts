import type { Rejections } from '../decode/points.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import type { Outcome, PlatformFailure } from '../platform/outcome.ts';
import type { Job } from './job.ts';
import { type PollResult, RowsRejected } from './result.ts';

/** A finished poll. */
export interface PollEnd {
  readonly job: Job;
  readonly outcome: Outcome;
  /** Why it failed, as a sentence. */
  readonly reason: string | undefined;
  /** What it found, as far as it went before it failed; undefined when it found nothing. */
  readonly result: PollResult | undefined;
  /** Whether what was to be committed is durable. */
  readonly committed: boolean;
  /** Rows of the answer that were dropped. */
  readonly rejected: Rejections | undefined;
  /** What was strange about the answer, when it failed since it was not the platform that answered. */
  readonly foreignAnswer: string | undefined;
  /** Operations that it performed; a poll of none says nothing of the platform. */
  readonly operations: number;
  /** From when its first operation left (ms); 0 when none did. */
  readonly durationMs: number;
}

/** How a poll ended, apart from how long it took. */
export type Ending = Omit<PollEnd, 'job' | 'operations' | 'durationMs'>;

/** Nothing was found. */
export const BLANK: Ending = {
  outcome: 'empty',
  reason: undefined,
  result: undefined,
  committed: false,
  rejected: undefined,
  foreignAnswer: undefined,
};

/** A poll that failed. */
export function failed(failure: PlatformFailure): Ending {
  return {
    ...BLANK,
    outcome: failure.outcome,
    reason: failure.message,
    rejected: failure instanceof RowsRejected ? failure.rejected : undefined,
    foreignAnswer: foreignAnswerOf(failure),
  };
}
