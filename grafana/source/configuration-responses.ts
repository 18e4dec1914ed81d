import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { chart } from './chart.ts';
import type { Shelf } from './layout.ts';
import { LIMITS } from './limits.ts';
import { mean, NAMESAKE, now, SITE, sum } from './query.ts';
import { table } from './table.ts';
import { trafficOverTime } from './traffic-queries.ts';

const CLASSES = [
  ['2xx', 'Successes', '200 to 299'],
  ['3xx', 'Redirections and “not modified”', '300 to 399'],
  ['4xx', 'Client errors', '400 to 499'],
  ['5xx', 'Server errors', '500 and above'],
] as const;

/** Charts of responses, one for each class of status codes. */
export const responses: readonly Panel[] = CLASSES.map(([group, title, codes]) =>
  chart({
    title: `${title} (${group})`,
    description: `Responses per minute with a status of ${codes}, by code; “other” are the rest of the class.`,
    shape: 'stack',
    queries: [
      {
        expr: `${sum(mean('edge_responses_per_minute', SITE, `class="${group}"`), 'code')} > 0`,
        legend: '{{code}}',
      },
    ],
  }),
);

const shares = trafficOverTime(SITE);

const errorShares = chart({
  title: 'Share of errors',
  description: 'Share of all responses. The dashed lines are at 1 % and 5 %, which matter for server errors.',
  unit: 'percentunit',
  limits: LIMITS.serverErrors,
  queries: [
    { expr: shares.clientErrors, legend: '4xx' },
    { expr: shares.serverErrors, legend: '5xx' },
  ],
});

const cacheTimes = table({
  title: 'How long error pages are cached',
  description:
    'Seconds for which the edge serves an error response from its cache, for the codes that it caches longest. A long time keeps an outage visible after its end.',
  unit: 's',
  rows: { account: 'Account', configuration: 'Configuration', code: 'Status' },
  columns: [
    {
      title: 'Cached for',
      expr: `topk(50, ${now('edge_error_response_cache_seconds', NAMESAKE)})`,
      limits: LIMITS.errorPageCache,
    },
  ],
  sortedBy: 'Cached for',
});

/** Panels of the error ratio, and of the time for which the cache serves errors. */
export const errorPages: readonly Shelf[] = [
  {
    height: 8,
    panels: [
      [12, errorShares],
      [12, cacheTimes],
    ],
  },
];
