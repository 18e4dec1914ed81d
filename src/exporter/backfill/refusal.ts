import { PlatformFailure } from '../platform/read.ts';
import { StateReadFailure, StateWriteFailure } from '../state/state.ts';
import { fileTrouble } from '../text/file-trouble.ts';

/** Error with the reason why there is no history, as a sentence for the operator. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
}

/** A refusal for which the operator must change the command; repeating it does not help. */
export class Misuse extends BackfillRefusal {}

/** Error for a read or receiver that has failed for too long. The message contains its name and the reason. */
export class LongFailure extends Error {
  override readonly name = 'LongFailure';
}

/** Returns a sentence for an error of a history, with the next step; undefined if the error is a bug. */
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
