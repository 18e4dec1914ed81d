import { z } from 'zod';
import { productOf } from '../catalogue/products.ts';
import { identifier, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const CONTENT_DELIVERY = productOf('analytics', 'content_delivery');

const FIELD = /^cache_error_(\d{3})$/;

const row = z.object({ id: identifier, name: text });

/** Cache times by status code, including codes that the specification does not define. */
const fields = z.record(z.string(), z.unknown()).transform((answer, context) => {
  const times = Object.entries(answer).flatMap(([field, value]) => {
    const code = FIELD.exec(field)?.[1];
    return code === undefined ? [] : [[code, seconds.safeParse(value).data ?? Number.NaN] as const];
  });
  if (times.some(([, value]) => Number.isNaN(value)))
    context.addIssue('a cache time is not a number of seconds');
  return { times: Object.fromEntries(times) };
});

const seconds = z.number().nonnegative();

type ErrorResponses = z.output<typeof row> & Partial<z.output<typeof fields>>;

const { measuredBy } = seriesOf<ErrorResponses>('error responses');

/** Cache times of error responses of each content delivery configuration (sections 2.13 and 4.14). */
export const errorResponses = settingsCollector({
  about: 'Cache times of error responses.',
  schedule: '*/15 * * * *',
  section: '4.14',
  version: 1,
  permission: 'View Content Delivery',
  kind: 'error_response',
  things: 'error responses',
  list: {
    products: [CONTENT_DELIVERY, productOf('metrics', 'edge_applications')],
    otherwise: { path: '/edge_applications', version: 3, permission: 'View Security Settings' },
  },
  row,
  details: { reads: [{ path: '/content_delivery/configurations/:id/error_responses' }], fields },
  labels: ({ id, name }) => ({
    product: CONTENT_DELIVERY.slug,
    configuration_id: id,
    configuration: name ?? '',
  }),
  unwatched: ['name'],
  series: [
    measuredBy(
      'edge_error_response_cache_seconds',
      'Time that the edge caches an error response with this status code, in seconds.',
      'code',
      ({ times }) => Object.entries(times ?? {}),
    ),
  ],
});
