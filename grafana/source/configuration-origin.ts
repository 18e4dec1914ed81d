import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import { mean, SITE, share, sum } from './query.ts';

const total = (family: string) => sum(mean(family, SITE));
const READ_WHERE = 'Read by GraphQL where the configuration names the metric.';
const NOT_READ = 'read where the configuration names the metric';

/** Panels of the largest values of each dimension, with the sum of all other values. */
export const values: readonly Panel[] = (['country', 'host'] as const).map((label) =>
  chart({
    title: `Requests by ${label}`,
    description: `Requests per minute by ${label}: the largest ones, and the rest together. ${READ_WHERE}`,
    noValue: NOT_READ,
    shape: 'stack',
    legend: 'right',
    queries: [
      {
        expr: `${sum(mean(`edge_requests_by_${label}_per_minute`, SITE), label)} > 0`,
        legend: `{{${label}}}`,
      },
    ],
  }),
);

/** Panels of request durations and of the responses of origins. */
export const origin: readonly Panel[] = [
  chart({
    title: 'Time a request takes',
    description: `Mean time of all requests at the edge, and of the responses of the origins alone. ${READ_WHERE}`,
    noValue: NOT_READ,
    unit: 's',
    queries: [
      {
        expr: share(
          total('edge_request_duration_seconds_per_minute'),
          total('edge_timed_requests_per_minute'),
        ),
        legend: 'requests',
      },
      {
        expr: share(
          total('edge_upstream_response_seconds_per_minute'),
          total('edge_upstream_responses_per_minute'),
        ),
        legend: 'origin',
      },
    ],
  }),
  chart({
    title: 'Responses of the origin',
    description: `Responses of the origins per minute by class, without answers from the cache. ${READ_WHERE}`,
    noValue: NOT_READ,
    shape: 'stack',
    queries: [
      { expr: `${sum(mean('edge_upstream_responses_per_minute', SITE), 'class')} > 0`, legend: '{{class}}' },
    ],
  }),
];
