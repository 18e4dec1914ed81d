import { expect } from 'vitest';
import { APPLICATION, DOMAIN, ERROR_RESPONSES, FIREWALL, FUNCTION, WORKLOADS, ZONE } from './expected.ts';
import type { Checked, Exchange, Row } from './row.ts';

const RULESET = '/edge_firewall/rulesets/534';
const NEW_FUNCTION = { name: 'f', language: 'javascript', code: 'x', initiator_type: 'edge_application' };

interface Switch {
  readonly quote: string;
  readonly path: string;
  readonly field: string;
  /** What an overwrite sends besides. */
  readonly put: object;
  readonly methods: readonly string[];
  readonly family: string;
  readonly version?: number;
}

const PUT_AND_PATCH = ['PUT', 'PATCH'];

const SWITCHES: readonly Switch[] = [
  {
    quote:
      'domain is_active true or false · PUT or PATCH on the domain · body carries is_active · the value sent · other fields follow the PUT or PATCH rules',
    path: DOMAIN,
    field: 'is_active',
    put: { name: 'd', edge_application_id: 1528990720 },
    methods: PUT_AND_PATCH,
    family: 'edge_domain_active',
  },
  {
    quote:
      'edge application active true or false · PUT or PATCH on the edge application · body carries active · the value sent · -',
    path: APPLICATION,
    field: 'active',
    put: { name: 'a' },
    methods: PUT_AND_PATCH,
    family: 'edge_application_active',
  },
  {
    quote:
      'edge function active true or false · PUT or PATCH on the edge function · body carries active · the value sent · -',
    path: FUNCTION,
    field: 'active',
    put: NEW_FUNCTION,
    methods: PUT_AND_PATCH,
    family: 'edge_function_active',
  },
  {
    quote:
      'edge firewall is_active true or false · PUT on the edge firewall · body carries is_active · the value sent · -',
    path: FIREWALL,
    field: 'is_active',
    put: { name: 'w' },
    methods: ['PUT'],
    family: 'edge_firewall_active',
  },
  {
    quote:
      'firewall rule set is_active true or false · PUT or PATCH on the rule set · body carries is_active · the value sent · -',
    path: RULESET,
    field: 'is_active',
    put: { name: 'r' },
    methods: PUT_AND_PATCH,
    family: 'edge_firewall_ruleset_active',
    version: 1,
  },
  {
    quote:
      'hosted zone is_active true or false · PUT on the zone · body carries is_active · the value sent · -',
    path: ZONE,
    field: 'is_active',
    put: { name: 'z', domain: 'example.com' },
    methods: ['PUT'],
    family: 'edge_zone_active',
  },
];

function switched({ quote, path, field, put, methods, family, version = 3 }: Switch): Checked {
  const has = (value: boolean) => (version === 1 ? { [field]: value } : { results: { [field]: value } });
  const set = (method: string, value: boolean): Exchange[] => [
    {
      send: `${method} ${path}`,
      version,
      body: { ...(method === 'PUT' ? put : {}), [field]: value },
      status: 200,
      has: has(value),
    },
    { send: `GET ${path}`, version, status: 200, has: has(value) },
  ];
  const steps = methods.flatMap((method) => [...set(method, false), ...set(method, true)]);
  return { section: '3', quotes: [quote], families: [family], steps };
}

const edge = (host: string, status: number) => ({
  send: `GET /_sandbox/edge?host=${host}`,
  status: 200,
  has: { status },
});
const access = (allowed: boolean) => ({
  send: `PATCH ${WORKLOADS}/1720000000`,
  body: { workload_domain_allow_access: allowed },
  status: 202,
  has: { data: { workload_domain_allow_access: allowed } },
});
const GENERATED = '1720000000.map.edge.example.net';
const PROPAGATION = { pass: 300_000 };

/** Section 3, its moves. */
export const states: readonly Row[] = [
  {
    section: '3',
    quotes: [
      'The resources carry boolean activation flags.',
      'The moves that the interface shows are these:',
    ],
    steps: SWITCHES.map(({ path, field, version = 3 }) => ({
      send: `GET ${path}`,
      version,
      status: 200,
      has: version === 1 ? { [field]: expect.any(Boolean) } : { results: { [field]: expect.any(Boolean) } },
    })),
  },
  ...SWITCHES.map(switched),
  {
    section: '3',
    quotes: [
      'workload_domain_allow_access true · PATCH on the workload · body carries false, and the workload lists at least one hostname in domains · false · after the change propagates, requests to the workload domain answer 404 while listed hostnames keep serving',
      'workload_domain_allow_access false · PATCH on the workload · body carries true · true · -',
    ],
    embedded: '`GET /_sandbox/edge?host=` tells what the edge answers',
    steps: [
      edge(GENERATED, 200),
      access(false),
      PROPAGATION,
      edge(GENERATED, 404),
      edge('front.shop.example.com', 200),
      access(true),
      PROPAGATION,
      edge(GENERATED, 200),
    ],
  },
  {
    section: '3.3',
    quotes: [
      'A workload change takes several minutes to reach the whole infrastructure, and requests can receive the old or the new configuration meanwhile.',
    ],
    embedded: 'setting `propagation_ms`, five minutes unless set',
    steps: [
      { send: `PATCH ${WORKLOADS}/1720000000`, body: { domains: ['new.example.com'] }, status: 202 },
      edge('new.example.com', 404),
      PROPAGATION,
      edge('new.example.com', 200),
      edge('front.shop.example.com', 404),
    ],
  },
  {
    section: '3',
    quotes: [
      'Any other states and moves, including those between WAF modes `blocking` and `counting`: not shown.',
    ],
    families: ['edge_waf_ruleset_blocking'],
    embedded: '`PATCH /_sandbox/waf/rulesets/:id` moves between the modes',
    steps: [
      { send: 'PATCH /_sandbox/waf/rulesets/3', body: { mode: 'counting' }, status: 200 },
      { send: 'GET /waf/rulesets/3', version: 2, status: 200, has: { mode: 'counting' } },
      { send: 'PATCH /_sandbox/waf/rulesets/5', body: {}, status: 404 },
    ],
  },
  {
    section: '3.2',
    quotes: ['A digital certificate that is in use cannot be deleted.'],
    embedded: '409',
    steps: [
      { send: 'DELETE /digital_certificates/14', status: 409 },
      { send: `PATCH ${DOMAIN}`, body: { digital_certificate_id: null }, status: 200 },
      { send: 'DELETE /digital_certificates/14', status: 204 },
    ],
  },
  {
    section: '3.2',
    quotes: ['A legacy firewall rule set that is in use cannot be deleted.'],
    embedded: '409',
    steps: [
      { send: `DELETE ${RULESET}`, version: 1, status: 409 },
      { send: `DELETE ${APPLICATION}`, status: 204 },
      { send: `DELETE ${RULESET}`, version: 1, status: 204 },
      { send: `GET ${ERROR_RESPONSES}`, version: 1, status: 404 },
    ],
  },
];
