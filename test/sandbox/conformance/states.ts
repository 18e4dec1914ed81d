import type { Row } from './row.ts';

const FUNCTION = { name: 'f', language: 'javascript', code: 'x', initiator_type: 'edge_application' };

/** Every switch of section 3, turned off and on again by every method that may. */
const SWITCHES: readonly (readonly [
  path: string,
  field: string,
  put: object,
  methods: string[],
  version: number,
  bare?: 'bare',
])[] = [
  ['/domains/1536580016', 'is_active', { name: 'd', edge_application_id: 1528990720 }, ['PUT', 'PATCH'], 3],
  ['/edge_applications/1528990720', 'active', { name: 'a' }, ['PUT', 'PATCH'], 3],
  ['/edge_functions/4184', 'active', FUNCTION, ['PUT', 'PATCH'], 3],
  ['/edge_firewall/200', 'is_active', { name: 'w' }, ['PUT'], 3],
  ['/edge_firewall/rulesets/534', 'is_active', { name: 'r' }, ['PUT', 'PATCH'], 1, 'bare'],
  ['/intelligent_dns/40960', 'is_active', { name: 'z', domain: 'example.com' }, ['PUT'], 3],
];

const switches: readonly Row[] = SWITCHES.flatMap(([path, field, put, methods, version, bare]) =>
  methods.map((method): Row => {
    const set = (value: boolean) => {
      const has = bare ? { [field]: value } : { results: { [field]: value } };
      const body = { ...(method === 'PUT' ? put : {}), [field]: value };
      return [
        { send: `${method} ${path}`, version, body, status: 200, has },
        { send: `GET ${path}`, version, status: 200, has },
      ];
    };
    return { section: '3', says: `${method} ${path} moves ${field}`, steps: [...set(false), ...set(true)] };
  }),
);

const WORKLOAD = '/v4/workspace/workloads/1720000000';

const EDGE = '/_sandbox/edge?host=';

const rows: readonly Row[] = [
  {
    section: '3',
    says: 'a workload domain is closed while a hostname is listed; once the change has spread it answers 404, the hostname still serves',
    steps: [
      { send: `GET ${EDGE}1720000000.map.edge.example.net`, status: 200, has: { status: 200 } },
      { send: `PATCH ${WORKLOAD}`, body: { workload_domain_allow_access: false }, status: 202 },
      { pass: 300_000 },
      { send: `GET ${EDGE}1720000000.map.edge.example.net`, status: 200, has: { status: 404 } },
      { send: `GET ${EDGE}front.shop.example.com`, status: 200, has: { status: 200 } },
    ],
  },
  {
    section: '3',
    says: 'a closed workload domain is opened again',
    steps: [
      { send: `PATCH ${WORKLOAD}`, body: { workload_domain_allow_access: false }, status: 202 },
      { pass: 300_000 },
      {
        send: `PATCH ${WORKLOAD}`,
        body: { workload_domain_allow_access: true },
        status: 202,
        has: { data: { workload_domain_allow_access: true } },
      },
      { pass: 300_000 },
      { send: `GET ${EDGE}1720000000.map.edge.example.net`, status: 200, has: { status: 200 } },
    ],
  },
  {
    section: '3.1',
    says: 'a deleted edge application is gone with its domains and error responses, unasked',
    steps: [
      { send: 'DELETE /edge_applications/1528990720', status: 204 },
      { send: 'GET /edge_applications/1528990720', status: 404 },
      { send: 'GET /domains/1536580016', status: 404 },
      { send: 'GET /content_delivery/configurations/1528990720/error_responses', version: 1, status: 404 },
    ],
  },
  {
    section: '3.1',
    says: 'a deleted edge function is gone',
    steps: [
      { send: 'DELETE /edge_functions/4184', status: 204 },
      { send: 'GET /edge_functions/4184', status: 404, is: { detail: 'Sorry unable to perform operation.' } },
    ],
  },
  {
    section: '3.1',
    says: 'a deleted edge firewall is gone; its domains stay',
    steps: [
      { send: 'DELETE /edge_firewall/200', status: 204 },
      { send: 'GET /edge_firewall/200', status: 404 },
      { send: 'GET /domains/1536580016', status: 200 },
    ],
  },
  {
    section: '3.2',
    says: 'a certificate is deleted only when no domain uses it',
    steps: [
      { send: 'DELETE /digital_certificates/14', status: 409 },
      { send: 'PATCH /domains/1536580016', body: { digital_certificate_id: null }, status: 200 },
      { send: 'DELETE /digital_certificates/14', status: 204 },
      { send: 'GET /digital_certificates/14', status: 404 },
    ],
  },
  {
    section: '3.2',
    says: 'a legacy rule set is deleted only when nothing uses it',
    steps: [
      { send: 'DELETE /edge_firewall/rulesets/534', version: 1, status: 409 },
      { send: 'GET /edge_firewall/rulesets/534', version: 1, status: 200 },
      { send: 'DELETE /edge_firewall/rulesets/535', version: 1, status: 204 },
      { send: 'GET /edge_firewall/rulesets/535', version: 1, status: 404 },
    ],
  },
  {
    section: '3.3',
    says: 'a change of a workload is not served at once',
    steps: [
      {
        send: `PATCH ${WORKLOAD}`,
        body: { domains: ['new.example.com'] },
        status: 202,
        has: { state: 'pending' },
      },
      { send: `GET ${EDGE}new.example.com`, status: 200, has: { status: 404 } },
      { pass: 299_999 },
      { pass: 1 },
      { send: `GET ${EDGE}new.example.com`, status: 200, has: { status: 200 } },
      { send: `GET ${EDGE}front.shop.example.com`, status: 200, has: { status: 404 } },
    ],
  },
];

/** Section 3: what moves, by what, and what goes with it. */
export const states: readonly Row[] = [...switches, ...rows];
