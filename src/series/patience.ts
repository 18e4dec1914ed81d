import { MINUTE_MS } from '../settling/window.ts';

/** How long, and in how many answers, a bucket must be absent before the counter goes on without it. */
const PATIENCE_MS = 30 * MINUTE_MS;
const PATIENCE_ANSWERS = 5;

/** The same where rows were dropped from the answers: any of those may have been the bucket's. */
const PATIENCE_DAMAGED_ANSWERS = 30;

/**
 * How far the platform's newest bucket must be beyond an absent one: before that it may only be late. Less than the
 * longest window, so that a series that has ended stays within the windows that are read anyway.
 */
const OVERTAKEN_MS = 40 * MINUTE_MS;

/** Since when something was absent, and from how many answers: those without any dropped row, and the others. */
export interface Absence {
  readonly since: number;
  readonly sound: number;
  readonly damaged: number;
}

/** The absence after one more answer. */
export function absentAgain(absence: Absence | undefined, sound: boolean, now: number): Absence {
  const noted = absence ?? { since: now, sound: 0, damaged: 0 };
  return sound ? { ...noted, sound: noted.sound + 1 } : { ...noted, damaged: noted.damaged + 1 };
}

/** Whether something was absent for so long, and from so many answers, that the platform does not have it. */
export function isExhausted({ since, sound, damaged }: Absence, now: number): boolean {
  if (now - since < PATIENCE_MS) return false;
  return sound >= PATIENCE_ANSWERS || sound + damaged >= PATIENCE_DAMAGED_ANSWERS;
}

/** Whether the platform's newest bucket (its start) is so far beyond another that this one is more than late. */
export function isOvertaken(bucketStart: number, newest: number): boolean {
  return newest >= bucketStart + OVERTAKEN_MS;
}
