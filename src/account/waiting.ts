import type { Obstacle } from '../quota/operations.ts';
import type { JobState } from '../schedule/job-entry.ts';

/** What is meant by an obstacle, apart from the obstacle itself. */
export interface WaitingFor {
  /** The name of the limit scope. */
  readonly scope: string;
  /** How many operations may be on the wire at once. */
  readonly connections: number;
}

/** Whether a job is due and has not begun; one that will be due later merely rests. */
export function isWaiting({ state, dueAt }: JobState, now: number): boolean {
  return state === 'waiting' && dueAt !== undefined && dueAt <= now;
}

/** Why a job that is due has not begun, in plain words. */
export function whyWaiting(
  { dueAt = 0 }: JobState,
  obstacle: Obstacle,
  meant: WaitingFor,
  now: number,
): string {
  const due = `due for ${Math.round((now - dueAt) / 1_000)} s`;
  return `${due}${obstacle.next ? ', goes next' : ''}: ${wordsOf(obstacle, meant, now)}`;
}

function wordsOf({ why, until }: Obstacle, { scope, connections }: WaitingFor, now: number): string {
  const seconds = `${Math.ceil((until - now) / 1_000)} s`;
  switch (why) {
    case 'refused':
      return `the platform refuses ${scope} for another ${seconds}`;
    case 'answer':
      return `an answer under way will tell what is left of ${scope}`;
    case 'spent':
      return `the quota of ${scope} is used up for another ${seconds}`;
    case 'share':
      return `what is left of ${scope} is kept for the token’s other users, next try in ${seconds}`;
    case 'bucket':
      return `kept for the fresher bucket in ${seconds}`;
    case 'looks':
      return `what is left of ${scope} is spent one by one, to see what others take: next in ${seconds}`;
    case 'wire':
      return connections === 1 ? 'the connection is in use' : `all ${connections} connections are in use`;
    case 'slow':
      return 'its API answers so slowly that others go first';
    case undefined:
      return 'about to leave';
  }
}
