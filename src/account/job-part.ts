import { COLLECTORS } from '../collectors.ts';
import { isPassing } from '../platform/outcome.ts';
import type { Job } from '../poll/job.ts';
import type { JobState } from '../poll/scheduled-job.ts';

/** What kind of thing a job reads. */
export type JobPart = 'discovery' | 'settings' | 'series' | 'other';

/** Which part of the work a job belongs to. */
export function partOf({ subject: { collector } }: Job): JobPart {
  if (collector === 'discovery') return 'discovery';
  if (Object.hasOwn(COLLECTORS, collector)) return 'settings';
  return collector === 'metrics' || collector === 'analytics' ? 'series' : 'other';
}

/** Whether all lists were read once (or refused), so that what there is to poll is known. */
export function isSurveyed(states: readonly JobState[]): boolean {
  const lists = states.filter(({ job }) => partOf(job) === 'discovery' || partOf(job) === 'settings');
  return lists.every(
    ({ lastSuccessAt, lastOutcome }) =>
      lastSuccessAt !== undefined || (lastOutcome !== undefined && !isPassing(lastOutcome)),
  );
}
