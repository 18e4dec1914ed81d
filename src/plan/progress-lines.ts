import { duration } from '../text/duration.ts';
import type { ExploreProgress } from './explore.ts';

/** Progress is worth a line this often (ms). */
const SPACING_MS = 5_000;

/** A wait that is worth telling the operator about (ms). */
const LONG_WAIT_MS = 2_000;

/**
 * Tells of long work now and then, and at once of a long wait for the quota.
 * @param waitMs milliseconds until an operation of a group may leave
 */
export function progressLines(
  tell: (text: string) => void,
  waitMs: (group: string) => number,
  now: () => number,
): (progress: ExploreProgress) => void {
  let toldAt = now();
  return ({ done, total, job }) => {
    const wait = waitMs(job.group);
    if (wait >= LONG_WAIT_MS) tell(`waits ${duration(wait / 1_000)} for the quota`);
    if (now() < toldAt + SPACING_MS) return;
    toldAt = now();
    tell(`${done} of ${total} reads done, next ${job.id}`);
  };
}
