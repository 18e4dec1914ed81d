import { describe, expect, it } from 'vitest';
import { type Judgement, judge } from '../../../src/exporter/judgement/judgement.ts';
import type { JobStatus } from '../../../src/exporter/status.ts';
import { allStepsOf } from '../../in-steps.ts';
import { madeUpAccount, madeUpJob, NOW } from '../page/made-up-status.ts';

/** What reads the list of a product's configurations. */
function listJob(changes: Partial<JobStatus> = {}): JobStatus {
  return madeUpJob({
    id: 'discovery/analytics/content_delivery',
    collector: 'discovery',
    product: 'content_delivery',
    metric: undefined,
    configuration: undefined,
    configuration_id: undefined,
    last_bucket_at: null,
    data_age_seconds: null,
    expected_age_seconds: null,
    counted_until: null,
    counted_age_seconds: null,
    expected_counted_age_seconds: null,
    ...changes,
  });
}

function judged(...jobs: JobStatus[]): Judgement {
  return allStepsOf(judge(madeUpAccount({ jobs }), NOW));
}

/** Whether there is data of a product; undefined where the platform has nothing of it. */
function available({ parts }: Judgement, product: string): boolean | null | undefined {
  return parts.find((part) => part.product === product)?.hasData;
}

describe('what an account has data of', () => {
  it('is a product whose newest buckets are in time', () => {
    expect(available(judged(madeUpJob()), 'edge_applications')).toBe(true);
    const late = madeUpJob({ data_age_seconds: 4_000, expected_age_seconds: 300 });
    expect(available(judged(late), 'edge_applications')).toBe(false);
  });

  it('does not speak of a product of which nothing is to be read, since its list has nothing', () => {
    const judgement = judged(madeUpJob(), listJob());
    expect(available(judgement, 'content_delivery')).toBeNull();
    expect(judgement.state).toBe('well');
  });

  it('lacks a product whose list is refused', () => {
    const refused = listJob({ last_outcome: 'forbidden', last_reason: 'HTTP 403' });
    expect(available(judged(madeUpJob(), refused), 'content_delivery')).toBe(false);
  });
});
