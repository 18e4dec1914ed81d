import { APPLICATION, DOMAIN, ERROR_RESPONSES, FIREWALL, FUNCTION, INTEGERS, WORKLOADS } from './expected.ts';
import type { Row } from './row.ts';

const QUOTES = [
  'Deleting an edge application, an edge function, or an edge firewall is final.',
  'Everything associated with it is removed, and the API asks for no confirmation.',
];
const series = (product: number, configuration: number, metric: string) =>
  `GET /metrics/products/${product}/configurations/${configuration}/metrics/${metric}?date_from=last-hour`;

/** Section 3, rule 1. */
export const deletions: readonly Row[] = [
  {
    section: '3.1',
    variant: 'an edge application',
    quotes: QUOTES,
    families: ['edge_application_info', 'edge_domain_info', 'edge_error_response_cache_seconds'],
    steps: [
      { send: `GET ${FIREWALL}`, status: 200, has: { results: { domains: [1536580016, 1536580017] } } },
      { send: 'GET /edge_functions', status: 200, has: { results: [{ reference_count: 1 }, {}, {}] } },
      { send: `DELETE ${APPLICATION}`, status: 204 },
      { send: `GET ${APPLICATION}`, status: 404 },
      { send: `PUT ${APPLICATION}`, body: { name: 'again' }, status: 404 },
      { send: `GET ${DOMAIN}`, status: 404 },
      { send: 'GET /domains', status: 200, has: { count: 4 } },
      { send: `GET ${FIREWALL}`, status: 200, has: { results: { domains: [] } } },
      {
        send: 'GET /edge_functions',
        status: 200,
        has: { results: [{ id: 4184, reference_count: 0 }, {}, {}] },
      },
      { send: 'DELETE /edge_firewall/rulesets/534', version: 1, status: 204 },
      { send: 'DELETE /digital_certificates/14', status: 204 },
      { send: `GET ${ERROR_RESPONSES}`, version: 1, status: 404 },
      { send: `PATCH ${WORKLOADS}/1720000000`, body: { domains: ['a.example.com'] }, status: 400 },
      { send: 'GET /_sandbox/edge?host=front.shop.example.com', status: 200, has: { status: 404 } },
      { send: series(1441740010, 1536580016, 'waf'), version: 2, status: 404 },
      {
        send: 'GET /metrics/products/1441740010/configurations',
        version: 2,
        status: 200,
        is: [1528990721, 1528990722].map((id) => ({
          id,
          name: id === 1528990721 ? 'news' : 'video',
          active: true,
          domains: INTEGERS,
        })),
      },
    ],
  },
  {
    section: '3.1',
    variant: 'an edge function',
    quotes: QUOTES,
    families: ['edge_function_info'],
    steps: [
      { send: series(1531930033, 1536580016, 'invocations'), version: 2, status: 200 },
      { send: `DELETE ${FUNCTION}`, status: 204 },
      { send: `GET ${FUNCTION}`, status: 404, is: { detail: 'Sorry unable to perform operation.' } },
      { send: 'GET /edge_functions', status: 200, has: { count: 2 } },
      { send: series(1531930033, 1536580016, 'invocations'), version: 2, status: 404 },
    ],
  },
  {
    section: '3.1',
    variant: 'an edge firewall; its domains stay',
    quotes: QUOTES,
    families: ['edge_firewall_info', 'edge_firewall_domain_info'],
    steps: [
      { send: `DELETE ${FIREWALL}`, status: 204 },
      { send: `GET ${FIREWALL}`, status: 404 },
      { send: 'GET /edge_firewall', status: 200, has: { count: 1 } },
      { send: `GET ${DOMAIN}`, status: 200 },
    ],
  },
];
