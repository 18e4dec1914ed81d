import { describe, expect } from 'vitest';
import { PERMISSIONS } from '../../../src/sandbox/permissions.ts';
import { BASIC, conforms, type Row } from './row.ts';

const SERIES = '/metrics/products/1441740010/configurations/1536580016/metrics/waf';
const WORKLOAD = '/v4/workspace/workloads';

/** Every kind of operation, with the permission that sections 4 and 5 ask for and the version it is read in. */
const GUARDED: readonly (readonly [permission: string, request: string, version: number])[] = [
  ['View Domains', 'GET /domains', 3],
  ['View Domains', 'GET /domains/1536580016', 3],
  ['Edit Domains', 'POST /domains', 3],
  ['Edit Domains', 'PUT /domains/1536580016', 3],
  ['Edit Domains', 'PATCH /domains/1536580016', 3],
  ['Edit Domains', 'DELETE /domains/1536580016', 3],
  ['View Security Settings', 'GET /digital_certificates', 3],
  ['Edit Security Settings', 'POST /digital_certificates', 3],
  ['Edit Security Settings', 'DELETE /digital_certificates/15', 3],
  ['Purge', 'POST /purge/url', 3],
  ['Purge', 'POST /purge/cachekey', 2],
  ['Purge', 'POST /purge/wildcard', 1],
  ['View Security Settings', 'GET /edge_applications', 3],
  ['Edit Security Settings', 'PATCH /edge_applications/1528990720', 3],
  ['View Edge Functions', 'GET /edge_functions', 3],
  ['Edit Edge Functions', 'PUT /edge_functions/4184', 3],
  ['View Edge Firewall', 'GET /edge_firewall', 3],
  ['Edit Edge Firewall', 'POST /edge_firewall', 3],
  ['View Security Settings', 'GET /edge_firewall/rulesets/534', 1],
  ['Edit Security Settings', 'PATCH /edge_firewall/rulesets/534', 1],
  ['View Security Settings', 'GET /waf/rulesets', 2],
  ['View Network Lists', 'GET /network_lists', 3],
  ['Edit Network Lists', 'PUT /network_lists/1009', 3],
  ['View Intelligent DNS', 'GET /intelligent_dns', 3],
  ['View Intelligent DNS', 'GET /intelligent_dns/40960/records', 3],
  ['Edit Intelligent DNS', 'POST /intelligent_dns/40960/records', 3],
  ['Edit Intelligent DNS', 'DELETE /intelligent_dns/40960', 3],
  ['Analytics', 'GET /analytics/metadata', 1],
  ['Analytics', 'GET /analytics/products/1441740010/configurations', 1],
  ['Analytics', `GET ${SERIES}?date_from=last-hour`, 2],
  ['View Content Delivery', 'GET /content_delivery/configurations/1528990720/error_responses', 1],
  ['Edit Content Delivery', 'PATCH /content_delivery/configurations/1528990720/error_responses', 1],
];

const permissions = GUARDED.map(([permission, send, version]): Row => {
  const others = PERMISSIONS.filter((other) => other !== permission);
  const body = send.startsWith('GET') || send.startsWith('DELETE') ? undefined : {};
  return {
    section: '5.5',
    says: `${send} needs ${permission}, and every other permission does not help`,
    options: { tokens: [{ token: 'lacking', permissions: others }] },
    steps: [{ send, version, body, headers: { authorization: 'Token lacking' }, status: 403 }],
  };
});

const authentication: readonly Row[] = [
  {
    section: '5.2',
    says: 'a token is made with a username and password in Basic authentication',
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201, has: { token: expect.any(String) } },
      { send: 'POST /tokens', headers: { authorization: 'Basic b3BlcmF0b3I6eA==' }, status: 401 },
    ],
  },
  {
    section: '5.3',
    says: 'only tokens are made and revoked with Basic authentication',
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'DELETE /tokens/{id}', headers: BASIC, status: 204 },
      { send: 'GET /domains', headers: BASIC, status: 401 },
      { send: 'POST /tokens', status: 401 },
    ],
  },
  {
    section: '5.4',
    says: 'the scheme word may be written Token or token',
    steps: ['Token', 'token'].map((scheme) => ({
      send: 'GET /domains',
      headers: { authorization: `${scheme} sandbox-token` },
      status: 200,
    })),
  },
  {
    section: '5.5',
    says: 'the list of legacy rule sets names no permission',
    options: { tokens: [{ token: 'bare', permissions: [] }] },
    steps: [
      {
        send: 'GET /edge_firewall/rulesets',
        version: 1,
        headers: { authorization: 'Token bare' },
        status: 200,
      },
    ],
  },
  {
    section: '5.6',
    says: 'without the header, or with a token that is none, every operation answers 401',
    steps: [
      {
        send: 'GET /domains',
        headers: { authorization: null },
        status: 401,
        is: { detail: 'Authentication credentials were not provided.' },
      },
      { send: 'GET /domains', headers: { authorization: 'Token wrong' }, status: 401 },
      { send: `PATCH ${WORKLOAD}/1720000000`, body: {}, headers: { authorization: null }, status: 401 },
    ],
  },
  {
    section: '5.7',
    says: 'a token lives for 24 hours',
    steps: [
      {
        send: 'POST /tokens',
        version: 1,
        headers: BASIC,
        status: 201,
        has: {
          created_at: expect.stringMatching(/^2026-11-20T12:34:20.*Z$/),
          expires_at: expect.stringMatching(/^2026-11-21T12:34:20.*Z$/),
        },
      },
    ],
  },
  {
    section: '5.9',
    says: 'the workload operation takes the same form of token',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000000`,
        body: {},
        headers: { authorization: 'Token sandbox-token' },
        status: 202,
      },
    ],
  },
];

const errors: readonly Row[] = [
  {
    section: '7',
    says: 'a success without a body is a 204',
    steps: [{ send: 'DELETE /domains/1536580016', status: 204 }],
  },
  {
    section: '7',
    says: 'missing and wrong parameters are a 400',
    steps: [
      { send: `GET ${SERIES}`, version: 2, status: 400 },
      { send: `GET ${SERIES}?date_from=soon`, version: 2, status: 400 },
      { send: 'POST /domains', body: {}, status: 400 },
    ],
  },
  {
    section: '7',
    says: 'what does not exist is a 404',
    steps: [
      { send: 'GET /domains/5', status: 404 },
      { send: 'GET /nothing', status: 404 },
    ],
  },
  {
    section: '7',
    says: 'a method that a path does not have is a 405',
    steps: [
      { send: 'PATCH /edge_firewall/200', body: {}, status: 405, answers: { allow: 'GET, DELETE, PUT' } },
      { send: 'DELETE /network_lists/1009', status: 405 },
      { send: 'PUT /tokens', headers: BASIC, status: 405 },
    ],
  },
  {
    section: '7',
    says: 'an Accept header that is missing, malformed or of another version is a 406',
    steps: [null, 'json', 'application/json; version=9'].map((accept) => ({
      send: 'GET /domains',
      headers: { accept: accept ?? '*/*' },
      status: 406,
    })),
  },
  {
    section: '7',
    says: 'what exists already is a 409',
    steps: [
      { send: 'POST /intelligent_dns', body: { name: 'z', domain: 'example.com' }, status: 409 },
      {
        send: 'POST /intelligent_dns/40960/records',
        body: { record_type: 'ANAME', entry: '@', answers_list: ['a'] },
        status: 409,
      },
    ],
  },
  {
    section: '7',
    says: 'a failure of the platform is a 500',
    options: { faults: { server_error: {} } },
    steps: [{ send: 'GET /domains', status: 500 }],
  },
  {
    section: '7.1',
    says: 'a URL of another account does not stop the others from being purged',
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: ['x.example/1', 'www.shop.example.com/2'], method: 'delete' },
        status: 207,
        has: [{ urls: ['www.shop.example.com/2'] }, { urls: ['x.example/1'] }],
      },
    ],
  },
  {
    section: '7.2',
    says: 'a wildcard hostname is refused',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000000`,
        body: { domains: ['*.example.com'] },
        status: 400,
        has: { errors: [expect.stringContaining('RFC 1035')] },
      },
    ],
  },
  {
    section: '7.3',
    says: 'hostnames of others are refused by name',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { domains: ['a.example.com', 'front.shop.example.com'] },
        status: 400,
        has: { errors: [expect.stringMatching(/not allowed.*: front\.shop\.example\.com\.$/)] },
      },
    ],
  },
  {
    section: '7.4',
    says: 'a staged workload takes no hostname',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000002`,
        body: { domains: ['a.example.com'] },
        status: 400,
        has: { errors: [expect.stringContaining('staging')] },
      },
    ],
  },
  {
    section: '7.5',
    says: 'a workload domain is not closed while no hostname is listed',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { workload_domain_allow_access: false },
        status: 400,
        has: { errors: [expect.stringContaining('required')] },
      },
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { workload_domain_allow_access: false, domains: ['a.example.com'] },
        status: 202,
      },
    ],
  },
];

const urls = (count: number) => ({
  urls: Array.from({ length: count }, (_, index) => `www.shop.example.com/${index}*`),
  method: 'delete',
});

const limits: readonly Row[] = [
  {
    section: '8',
    says: 'a purge by URL or cache key takes up to 50',
    steps: ['url', 'cachekey'].flatMap((kind) => [
      { send: `POST /purge/${kind}`, body: urls(50), status: kind === 'url' ? 207 : 201 },
      { send: `POST /purge/${kind}`, body: urls(51), status: 400 },
    ]),
  },
  {
    section: '8',
    says: 'a purge by wildcard takes one expression',
    steps: [
      { send: 'POST /purge/wildcard', body: urls(1), status: 201 },
      { send: 'POST /purge/wildcard', body: urls(2), status: 400 },
    ],
  },
  {
    section: '8',
    says: 'a page has ten items and is the first, unless told',
    options: { configurations: 6 },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        has: {
          count: 12,
          total_pages: 2,
          links: { previous: null, next: expect.stringContaining('page=2&page_size=10') },
        },
      },
    ],
  },
  {
    section: '8',
    says: 'answers count operations down, and when none is left the next is a 429 until the frame closes',
    options: { rateLimit: { reads: 2, writes: 20, purges: 200 } },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        answers: {
          'X-ratelimit-limit': '2',
          'X-ratelimit-remaining': '1',
          'X-ratelimit-reset': expect.stringMatching(/^2026-11-20T12:35:20/),
        },
      },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '0' } },
      { send: 'GET /domains', status: 429 },
      { pass: 60_000 },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '1' } },
    ],
  },
  {
    section: '8',
    says: 'two hundred operations a minute, 199 after the first',
    options: { rateLimit: { reads: 200, writes: 20, purges: 200 } },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        answers: { 'X-ratelimit-limit': '200', 'X-ratelimit-remaining': '199' },
      },
    ],
  },
];

/** Section 9, rule 4: the versions in which each resource is read. */
const VERSIONS: readonly (readonly [path: string, versions: readonly number[]])[] = [
  ['/domains', [3]],
  ['/digital_certificates', [1, 3]],
  ['/edge_applications', [3]],
  ['/edge_functions', [3]],
  ['/edge_firewall', [3]],
  ['/edge_firewall/rulesets', [1]],
  ['/waf/rulesets', [2]],
  ['/network_lists', [3]],
  ['/intelligent_dns', [3]],
  ['/analytics/metadata', [1]],
  ['/metrics/products/1441740010/configurations', [2]],
  ['/content_delivery/configurations/1528990720/error_responses', [1]],
];

const versions: readonly Row[] = [
  ...VERSIONS.map(
    ([path, supported]): Row => ({
      section: '9.4',
      says: `${path} is read in version ${supported.join(' and ')} only; others are a 406 (9.5)`,
      steps: [1, 2, 3, 4].map((version) => ({
        send: `GET ${path}`,
        version,
        status: supported.includes(version) ? 200 : 406,
      })),
    }),
  ),
  {
    section: '9.4',
    says: 'tokens are made in versions 1 and 3',
    steps: [1, 2, 3].map((version) => ({
      send: 'POST /tokens',
      version,
      headers: BASIC,
      status: version === 2 ? 406 : 201,
    })),
  },
  {
    section: '9.4',
    says: 'purges are made in versions 1, 2 and 3',
    steps: [1, 2, 3, 4].map((version) => ({
      send: 'POST /purge/wildcard',
      version,
      body: urls(1),
      status: version === 4 ? 406 : 201,
    })),
  },
  {
    section: '9.2',
    says: 'answers of version 3 carry their schema version',
    steps: [
      '/domains',
      '/domains/1536580016',
      '/digital_certificates/14',
      '/intelligent_dns/40960/records',
    ].map((path) => ({ send: `GET ${path}`, status: 200, has: { schema_version: 3 } })),
  },
  {
    section: '9.6',
    says: 'workloads are under /v4, whatever version is accepted',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000000`,
        headers: { accept: 'application/json' },
        body: {},
        status: 202,
      },
      { send: 'PATCH /workspace/workloads/1720000000', body: {}, status: 404 },
    ],
  },
];

describe('section 5, authentication', () => conforms([...authentication, ...permissions]));
describe('section 7, errors', () => conforms(errors));
describe('section 8, limits', () => conforms(limits));
describe('section 9, versions', () => conforms(versions));
