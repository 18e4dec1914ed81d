import { expect } from 'vitest';
import { DELIVERY, ERROR_RESPONSES, WORKLOADS } from './expected.ts';
import { BASIC, type Checked, type Row } from './row.ts';

const VALUES =
  'Version values used by the resources: tokens 1 and 3, domains 3, digital certificates 1 and 3, purge 1, 2 and 3, edge applications 3, edge functions 3, edge firewall 3, firewall rule sets 1, WAF rule sets 2, network lists 3, intelligent DNS 3, analytics 1, metrics 2, content delivery error responses 1.';

const PURGE = { urls: ['www.shop.example.com/*'], method: 'delete' };

/** How each resource is asked, and the versions in which it answers. */
const SUPPORTED: readonly (readonly [send: string, versions: readonly number[], status?: number])[] = [
  ['POST /tokens', [1, 3], 201],
  ['GET /domains', [3]],
  ['GET /digital_certificates', [1, 3]],
  ['POST /purge/wildcard', [1, 2, 3], 201],
  ['GET /edge_applications', [3]],
  ['GET /edge_functions', [3]],
  ['GET /edge_firewall', [3]],
  ['GET /edge_firewall/rulesets', [1]],
  ['GET /waf/rulesets', [2]],
  ['GET /network_lists', [3]],
  ['GET /intelligent_dns', [3]],
  ['GET /analytics/metadata', [1]],
  [`GET ${DELIVERY}`, [2]],
  [`GET ${ERROR_RESPONSES}`, [1]],
];

const supported = SUPPORTED.map(
  ([send, versions, status = 200]): Checked => ({
    section: '9.4',
    variant: `${send} in version ${versions.join(' and ')}`,
    quotes: [VALUES],
    steps: [1, 2, 3, 4].map((version) => ({
      send,
      version,
      ...(send.includes('purge') ? { body: PURGE } : {}),
      headers: send.includes('tokens') ? BASIC : {},
      status: versions.includes(version) ? status : 406,
    })),
  }),
);

/** Section 9. */
export const versions: readonly Row[] = [
  {
    section: '9.1',
    quotes: [
      'The version is selected by the `Accept` header value `application/json; version=<n>`.',
      'The current version is 3 and the format is `application/json`.',
    ],
    steps: [
      { send: 'GET /domains', headers: { accept: 'application/json; version=3' }, status: 200 },
      { send: 'GET /domains', headers: { accept: 'application/json;charset=utf-8;version=3' }, status: 200 },
      { send: 'GET /domains', headers: { accept: 'text/html; version=3' }, status: 406 },
    ],
  },
  {
    section: '9.2',
    quotes: ['Version 3 responses carry `schema_version: 3` in the envelope.'],
    steps: [
      '/domains',
      '/domains/1536580016',
      '/digital_certificates/14',
      '/edge_applications/1528990720',
      '/edge_functions/4184',
      '/edge_firewall/200',
      '/network_lists/187',
      '/intelligent_dns/40960',
      '/intelligent_dns/40960/records',
    ].map((path) => ({ send: `GET ${path}`, status: 200, has: { schema_version: 3 } })),
  },
  {
    section: '9.3',
    quotes: [
      'Differences visible between versions: version 3 list reads are paginated envelopes, version 1 and 2 list reads are bare arrays; version 3 purge by cache key accepts `layer`, version 1 does not; the version 1 token response uses a different timestamp format.',
    ],
    steps: [
      { send: 'GET /digital_certificates', status: 200, has: { count: 2, results: [{}, {}] } },
      { send: 'GET /digital_certificates', version: 1, status: 200, has: [{}, {}] },
      { send: 'GET /edge_firewall/rulesets', version: 1, status: 200, has: [{}, {}] },
      { send: 'GET /waf/rulesets', version: 2, status: 200, has: [{}, {}] },
      { send: 'POST /purge/cachekey', body: { ...PURGE, layer: 'l2_caching' }, status: 201 },
      { send: 'POST /purge/cachekey', version: 1, body: { ...PURGE, layer: 'l2_caching' }, status: 400 },
      {
        send: 'POST /tokens',
        version: 1,
        headers: BASIC,
        status: 201,
        has: { expires_at: expect.stringContaining('+00:00') },
      },
    ],
  },
  ...supported,
  {
    section: '9.5',
    quotes: ['A request whose version is unsupported is answered 406.'],
    steps: [
      { send: 'GET /domains', version: 2, status: 406 },
      { send: 'GET /domains', version: 99, status: 406 },
    ],
  },
  {
    section: '9.6',
    quotes: ['Workload custom-domain operation is under the path prefix `/v4`.'],
    steps: [
      {
        send: `PATCH ${WORKLOADS}/1720000000`,
        headers: { accept: 'application/json' },
        body: { domains: [] },
        status: 202,
      },
      { send: 'PATCH /workspace/workloads/1720000000', body: { domains: [] }, status: 404 },
    ],
  },
  {
    section: '9.7',
    quotes: ['The full set of versions each resource supports: not shown.'],
    embedded: 'those that rule 4 names',
  },
];
