import type { JobState } from '../poll/scheduled-job.ts';
import { type WaitContext, waitText } from '../rate-limit/decision.ts';
import type { RequestDecision } from '../rate-limit/request-queue.ts';

/** Whether a job is due and has not begun; one that will be due later merely rests. */
export function isWaiting({ state, dueAt }: JobState, now: number): boolean {
  return state === 'waiting' && dueAt !== undefined && dueAt <= now;
}

/** Why a job that is due has not begun, as a sentence. */
export function whyWaiting({ dueAt = 0 }: JobState, decision: RequestDecision, context: WaitContext): string {
  const due = `due for ${Math.round((context.now - dueAt) / 1_000)} s`;
  return `${due}${decision.next ? ', goes next' : ''}: ${waitText(decision, context)}`;
}
