import { ERROR_RESPONSES, INTEGER, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const TIMES = {
  cache_error_400: 1,
  cache_error_403: 2,
  cache_error_404: 3,
  cache_error_405: 4,
  cache_error_414: 5,
  cache_error_416: 6,
  cache_error_501: 7,
};
const SHOWN = Object.fromEntries(Object.keys(TIMES).map((field) => [field, INTEGER]));
const call = (method: string, body?: object) => ({ send: `${method} ${ERROR_RESPONSES}`, version: 1, body });

/** Sections 2.13 and 4.14. */
export const errorResponses: readonly Row[] = [
  {
    section: '2.13',
    quotes: [
      'Object of integers, each a cache time in seconds at the CDN for the status code named in the field: `cache_error_400` (Bad Request), `cache_error_403` (Forbidden), `cache_error_404` (Not Found), `cache_error_405` (Method Not Allowed), `cache_error_414` (URI Too Long), `cache_error_416` (Range Not Satisfiable), `cache_error_501` (Not Implemented).',
    ],
    families: ['edge_error_response_cache_seconds{code}'],
    steps: [
      { ...call('GET'), status: 200, is: SHOWN },
      { ...call('PATCH', { cache_error_404: -1 }), status: 400, is: { cache_error_404: [TEXT] } },
      { ...call('PATCH', { cache_error_404: 1.5 }), status: 400, is: { cache_error_404: [TEXT] } },
    ],
  },
  {
    section: '4.14',
    quotes: [
      'GET · `/content_delivery/configurations/:conf_id/error_responses` · `:conf_id` number · 200 with the object of 2.13',
    ],
    families: ['edge_error_response_cache_seconds'],
    embedded: '`:conf_id` is the id of an edge application, as in the analytics API',
    steps: [
      { ...call('GET'), status: 200, is: SHOWN },
      { send: 'GET /content_delivery/configurations/5/error_responses', version: 1, status: 404 },
    ],
  },
  {
    section: '4.14',
    quotes: [
      'PUT · `/content_delivery/configurations/:conf_id/error_responses` · all seven fields · 200 with the object',
      'PATCH · `/content_delivery/configurations/:conf_id/error_responses` · any subset of the fields; unsent fields keep their values · 200 with the full object',
    ],
    steps: [
      { ...call('PUT', TIMES), status: 200, is: TIMES },
      { ...call('PATCH', { cache_error_404: 3600 }), status: 200, is: { ...TIMES, cache_error_404: 3600 } },
      { ...call('GET'), status: 200, is: { ...TIMES, cache_error_404: 3600 } },
      ...Object.keys(TIMES).map((field) => ({
        ...call('PUT', { ...TIMES, [field]: undefined }),
        status: 400,
        is: { [field]: ['This field is required.'] },
      })),
    ],
  },
];
