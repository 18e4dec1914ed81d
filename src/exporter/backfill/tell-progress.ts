import { PlatformFailure } from '../platform/read.ts';
import type { BackfillObserver } from './backfill-options.ts';
import { nameOf, WindowFailure } from './collect.ts';
import { moment } from './history-plan.ts';
import type { BackfillProgress, LineLog } from './progress.ts';
import { ReceiverFailure } from './push-history.ts';
import { BackfillRefusal, fileTrouble } from './refusal.ts';

/** Tells of a history that is read: in a log, and by its progress. */
export function tellProgress(progress: BackfillProgress, log: LineLog): BackfillObserver {
  let taken = 0;
  progress.stage = 'listing what to read';
  return {
    planned({ range: { from, to }, series }, windows, done) {
      progress.stage = undefined;
      progress.expect(windows, done);
      log.info(
        { from: moment(from), to: moment(to), metrics: series.length, windows, done },
        'history started',
      );
    },
    connected(waits) {
      progress.waits = waits;
    },
    advanced: (windows) => progress.advance(windows),
    exchanged: () => progress.count(),
    stumbled: (account, reason, pause) =>
      log.warn({ account, reason, retry_seconds: pause / 1_000 }, 'the platform could not list what to read'),
    retried: (planned, { from }, failure, pause) =>
      log.warn(
        {
          metric: nameOf(planned),
          from: moment(from),
          reason: failure.message,
          retry_seconds: pause / 1_000,
        },
        'reading a window failed',
      ),
    vanished: (planned) => log.warn({ metric: nameOf(planned) }, 'the platform does not have this metric'),
    notice: (account, text) => log.warn({ account }, text),
    pushing() {
      progress.stage = 'pushing';
    },
    pushed(_, samples) {
      taken += samples;
      progress.stage = `pushing, ${taken} samples taken`;
    },
    refused: (receiver, reason, words) =>
      log.warn({ receiver, reason, answer: words }, 'the receiver refuses samples for good'),
    pushFailed: (receiver, words) => log.warn({ receiver, reason: words }, 'pushing failed; trying again'),
    writing() {
      progress.stage = 'writing';
    },
  };
}

/**
 * What to tell of an error of a history, or undefined when it is a fault of the program.
 * @param advice what to do then
 */
export function backfillSentence(
  error: unknown,
  advice = 'run the same command again to continue',
): string | undefined {
  if (error instanceof BackfillRefusal) return error.message;
  if (error instanceof WindowFailure || error instanceof ReceiverFailure) {
    return `${error.message}: giving up for now; ${advice}`;
  }
  if (error instanceof PlatformFailure) return `${error.message} (${error.outcome})`;
  const trouble = fileTrouble(error);
  return trouble === undefined ? undefined : `${trouble}; ${advice}`;
}
