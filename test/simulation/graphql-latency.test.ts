import { expect, it } from 'vitest';
import { SCHEDULE, type Truth, throughTroubles, wrongCounters } from './graphql-truth.ts';
import { simulate } from './simulation.ts';

const CODES = ['200', '204', '206', '301', '302', '304', '400', '403', '404', '500', '502', '503'];

const TRUTHS: Readonly<Record<string, readonly Truth[]>> = {
  request_duration: [
    { sum: 'requestTime', dimension: 'seconds' },
    { field: 'requestsTotal', dimension: 'requests' },
  ],
  upstream_responses: [
    { sum: 'upstreamResponseTime', dimension: 'seconds' },
    {
      sum: 'requests',
      by: 'upstreamStatus',
      dimension: (status) => {
        if (status === null) return undefined;
        return CODES.includes(String(status)) ? String(status) : `${String(status)[0]}xx`;
      },
    },
  ],
};

it('counts seconds and responses of origins exactly by GraphQL, beside REST, through troubles and kills', async () => {
  const simulation = await simulate({
    sandbox: { configurations: 3, domainsPerConfiguration: 2, graphqlRateLimit: 200 },
    account: {
      collectors: {
        metrics: {
          schedule: SCHEDULE,
          products: {
            edge_applications: { metrics: ['status_code', 'request_duration', 'upstream_responses'] },
          },
        },
        analytics: {
          schedule: SCHEDULE,
          products: { content_delivery: { by: ['product'], metrics: ['upstream_responses'] } },
        },
      },
    },
  });
  const { sandbox, state } = simulation;
  const { shown, decreases } = await throughTroubles(simulation, [
    {},
    { late_data: { minutes: 12 } },
    { repeated_rows: { probability: 0.3 }, wrong_types: { probability: 0.3, share: 0.1 } },
    { conflicting_rows: { probability: 0.5, share: 0.1 }, graphql_errors: { probability: 0.3 } },
    {},
  ]);
  // One series for each configuration, whatever its domains, and one for each code: that none came is a zero.
  expect(shown('edge_request_duration_seconds_total')).toBe(3);
  expect(shown('edge_timed_requests_total')).toBe(3);
  expect(shown('edge_upstream_response_seconds_total')).toBe(3);
  expect(shown('edge_upstream_responses_total')).toBe(3 * 17);
  expect(shown('edge_upstream_responses_per_minute')).toBe(3 * 17);
  expect(shown('edge_product_upstream_responses_total')).toBe(17);
  expect(decreases).toEqual([]);
  await simulation.stop();
  // Whatever the platform still changes has been changed.
  await simulation.minutes(120);
  const { wrong, buckets } = await wrongCounters(sandbox, state, TRUTHS);
  expect(wrong).toEqual([]);
  expect(buckets).toBeGreaterThan(3 * 2 * 2 * 60);
});
