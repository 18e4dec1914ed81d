import type { Sample } from '../catalogue/family.ts';
import type { Read } from '../platform/read.ts';
import type { Job, JobSubject } from '../schedule/job.ts';
import type { Rejections } from '../series/points.ts';
import type { CollectorContext } from './collector.ts';

/** What a read of settings brought. */
export interface Collected {
  readonly samples: readonly Sample[];
  /** Items that were not what they should be. */
  readonly rejected: number;
}

/** One piece of the platform's settings that is read as a whole. */
export interface SettingsSource {
  /** The collector's name in the configuration. */
  readonly collector: string;
  readonly group: string;
  readonly subject: Omit<JobSubject, 'collector'>;
  /** @throws PlatformFailure */
  readonly collect: (read: Read, signal: AbortSignal) => Promise<Collected>;
}

/** Settings change seldom: they wait for everything that tells of traffic. */
const SETTINGS_WEIGHT = 0.1;

/** A job that shows what a source says, in place of what it said before. */
export function settingsJob(context: CollectorContext, source: SettingsSource): Job {
  const { collector, group, collect } = source;
  const id = [collector, source.subject.configuration_id].filter(Boolean).join('/');
  const owner = `${context.account}/${id}`;
  let operations = 1;
  let withdrawn = false;
  return {
    id,
    subject: { collector, ...source.subject },
    schedule: context.schedule,
    group,
    weight: SETTINGS_WEIGHT,
    cost: () => operations,
    async poll(read, signal) {
      let performed = 0;
      const counting: Read = (resource, aborts) => {
        performed += 1;
        return read(resource, aborts);
      };
      const { samples, rejected } = await collect(counting, signal);
      operations = Math.max(1, performed);
      if (!withdrawn) context.store.publish(owner, samples, context.freshUntil());
      const rejections: Rejections = new Map(rejected > 0 ? [['bad_value', rejected]] : []);
      return { outcome: samples.length === 0 ? 'empty' : 'ok', rejected: rejections };
    },
    withdraw() {
      withdrawn = true;
      context.store.withdraw(owner);
    },
  };
}
