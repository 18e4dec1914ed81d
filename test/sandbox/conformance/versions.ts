import { BASIC, type Row } from './row.ts';

const WORKLOAD = '/v4/workspace/workloads';

const urls = (count: number) => ({
  urls: Array.from({ length: count }, (_, index) => `www.shop.example.com/${index}*`),
  method: 'delete',
});

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

export const versions: readonly Row[] = [
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
        body: { domains: [] },
        status: 202,
      },
      { send: 'PATCH /workspace/workloads/1720000000', body: {}, status: 404 },
    ],
  },
  {
    section: '9.1',
    says: 'the Accept header selects the version, whatever else it holds',
    steps: [
      { send: 'GET /domains', headers: { accept: 'application/json; version=3' }, status: 200 },
      { send: 'GET /domains', headers: { accept: 'application/json;charset=utf-8;version=3' }, status: 200 },
      { send: 'GET /domains', headers: { accept: 'text/html; version=3' }, status: 406 },
    ],
  },
  {
    section: '9.3',
    says: 'lists are envelopes in version 3, bare arrays in versions 1 and 2',
    steps: [
      { send: 'GET /digital_certificates', status: 200, has: { count: 2, results: [{}, {}] } },
      { send: 'GET /digital_certificates', version: 1, status: 200, has: [{}, {}] },
      { send: 'GET /edge_firewall/rulesets', version: 1, status: 200, has: [{}, {}] },
      { send: 'GET /waf/rulesets', version: 2, status: 200, has: [{}, {}] },
    ],
  },
];
