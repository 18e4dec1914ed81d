import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';
import type { Job } from '../poll/job.ts';
import type { PollResult } from '../poll/result.ts';

/** Once a day, at a quiet time; and at the start. */
const SCHEDULE = '17 3 * * *';

/** After the lists of configurations, before what they tell to read. */
const METADATA_WEIGHT = 9;

/** Asks the analytics API which metrics it has (section 4.12). */
export class MetadataJob implements Job<readonly string[]> {
  readonly id = 'discovery/analytics/metadata';
  readonly subject = { collector: 'discovery' };
  readonly schedule = SCHEDULE;
  readonly group = 'analytics';
  readonly weight = METADATA_WEIGHT;

  cost(): number {
    return 1;
  }

  async read(read: Read, signal: AbortSignal): Promise<readonly string[]> {
    const { body } = await read(() => ({ path: '/analytics/metadata', version: 1 }), signal);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new PlatformFailure('undecodable', 'the metadata is no object of metrics');
    }
    return Object.keys(body);
  }

  conclude(metrics: readonly string[]): PollResult {
    return { outcome: metrics.length === 0 ? 'empty' : 'ok', metrics, adopt: () => [] };
  }
}
