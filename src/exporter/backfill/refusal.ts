import { PlatformFailure } from '../platform/read.ts';
import { StateReadFailure, StateWriteFailure } from '../state/state.ts';
import { fileTrouble } from '../text/file-trouble.ts';

/** Reason why there is no history, as a sentence for the operator. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
}

/** A refusal after which the command must be changed, rather than repeated later. */
export class Misuse extends BackfillRefusal {}

/** A read or a receiver that has failed for too long. The message names which, and why. */
export class LongFailure extends Error {
  override readonly name = 'LongFailure';
}

/** Returns the sentence for an error of a history, with what to do next; undefined for a fault of the program. */
export function backfillSentence(
  error: unknown,
  advice = 'run the same command again to continue',
): string | undefined {
  if (error instanceof BackfillRefusal) return error.message;
  if (error instanceof LongFailure) return `${error.message}: giving up for now; ${advice}`;
  if (error instanceof PlatformFailure) return `${error.message} (${error.outcome})`;
  const isOfState = error instanceof StateWriteFailure || error instanceof StateReadFailure;
  const trouble = isOfState ? error.message : fileTrouble(error);
  return trouble === undefined ? undefined : `${trouble}; ${advice}`;
}
