import { partOf } from '../account/jobs.ts';
import type { Job } from '../poll/job.ts';

/** Jobs of one kind differ only in the configuration that they read. */
export function kindOf({ group, subject }: Job): string {
  const { collector, product, metric, configuration_id } = subject;
  return JSON.stringify([group, collector, product, metric, configuration_id === undefined]);
}

/** How many jobs of a kind of settings are polled: one configuration may hold more than the next. */
const SETTINGS_SAMPLE = 3;

/** A few jobs of each kind, enough to know what all of that kind cost: of series one, since they cost the same. */
export function representatives(jobs: readonly Job[]): readonly Job[] {
  const taken = new Map<string, number>();
  return jobs.filter((job) => {
    const kind = kindOf(job);
    const count = taken.get(kind) ?? 0;
    taken.set(kind, count + 1);
    return count < (partOf(job) === 'settings' ? SETTINGS_SAMPLE : 1);
  });
}
