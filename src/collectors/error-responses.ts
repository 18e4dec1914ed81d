import type { Sample } from '../catalogue/family.ts';
import { EDGE_ERROR_RESPONSE_CACHE } from '../catalogue/platform-families.ts';
import { productOf } from '../catalogue/products.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Job } from '../schedule/job.ts';
import type { Configuration } from '../series/discovery.ts';
import { accountLabels, type Collector, type CollectorContext } from './collector.ts';
import { settingsJob } from './settings-job.ts';

const CONTENT_DELIVERY = productOf('analytics', 'content_delivery');

const FIELD = /^cache_error_(\d{3})$/;

/** Cache times of error responses of each content delivery configuration (sections 2.13 and 4.14). */
export const errorResponses: Collector = {
  about: 'Cache times of error responses.',
  schedule: '*/15 * * * *',
  section: '4.14',
  permission: 'View Content Delivery',
  families: [EDGE_ERROR_RESPONSE_CACHE],
  needs: [CONTENT_DELIVERY],
  jobs: (context) =>
    context
      .configurations(CONTENT_DELIVERY)
      .filter(({ active }) => active)
      .map((configuration) => jobOf(context, configuration)),
};

function jobOf(context: CollectorContext, { id, name }: Configuration): Job {
  const labels = accountLabels(context.account, {
    product: CONTENT_DELIVERY.slug,
    configuration_id: id,
    configuration: name,
  });
  const path = `/content_delivery/configurations/${encodeURIComponent(id)}/error_responses`;
  return settingsJob(context, {
    collector: 'error_responses',
    group: 'content_delivery',
    subject: { configuration_id: id, configuration: name },
    collect: async (read, signal) => {
      const { body } = await read(() => ({ path, version: 1 }), signal);
      return decodeErrorResponses(body, labels);
    },
  });
}

/** One sample for each status code whose cache time the answer gives. @throws PlatformFailure undecodable */
export function decodeErrorResponses(
  body: unknown,
  labels: Readonly<Record<string, string>>,
): { samples: Sample[]; rejected: number } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new PlatformFailure('undecodable', 'the error responses are not an object');
  }
  const samples: Sample[] = [];
  let rejected = 0;
  for (const [field, value] of Object.entries(body)) {
    const code = FIELD.exec(field)?.[1];
    if (code === undefined) continue;
    if (typeof value === 'number' && value >= 0) {
      samples.push({ family: EDGE_ERROR_RESPONSE_CACHE, labels: { ...labels, code }, value });
    } else rejected += 1;
  }
  return { samples, rejected };
}
