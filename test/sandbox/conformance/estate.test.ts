import { describe, expect } from 'vitest';
import { conforms, type Row } from './row.ts';

const PEM = (kind: string) => `-----BEGIN ${kind}-----\\nAA==\\n-----END ${kind}-----`;
const CERTIFICATE = { name: 'c', certificate: PEM('CERTIFICATE'), private_key: PEM('RSA PRIVATE KEY') };
const STAMP = expect.stringMatching(/^2026-11-20T12:34:20\.\d{6}Z$/);
const EDITED = { last_editor: 'operator@example.com', last_modified: STAMP };
const LIST = {
  count: expect.any(Number),
  total_pages: 1,
  schema_version: 3,
  links: { previous: null, next: null },
};

const certificates: readonly Row[] = [
  {
    section: '4.3',
    says: 'certificates are listed and read with id and name, in an envelope from version 3 on and bare in version 1',
    steps: [
      { send: 'GET /digital_certificates', status: 200, has: { ...LIST, count: 2 } },
      {
        send: 'GET /digital_certificates',
        version: 1,
        status: 200,
        is: [
          { id: 14, name: '*.shop.example.com' },
          { id: 15, name: 'Self-signed Certificate' },
        ],
      },
      {
        send: 'GET /digital_certificates/14',
        status: 200,
        is: { results: { id: 14, name: '*.shop.example.com' }, schema_version: 3 },
      },
      {
        send: 'GET /digital_certificates/14',
        version: 1,
        status: 200,
        is: { id: 14, name: '*.shop.example.com' },
      },
    ],
  },
  {
    section: '4.3',
    says: 'a certificate is found by name, or not at all',
    steps: [
      {
        send: 'GET /digital_certificates/?name=Self-signed%20Certificate',
        status: 200,
        has: { results: { id: 15 } },
      },
      { send: 'GET /digital_certificates/?name=none', status: 200, has: { count: 0, results: [] } },
    ],
  },
  {
    section: '4.3',
    says: 'certificates are created with 201: in an envelope in version 3, bare in version 1',
    steps: [
      {
        send: 'POST /digital_certificates',
        body: CERTIFICATE,
        status: 201,
        is: { results: { id: expect.any(Number), name: 'c' }, schema_version: 3 },
      },
      {
        send: 'POST /digital_certificates',
        version: 1,
        body: CERTIFICATE,
        status: 201,
        is: { id: 17, name: 'c' },
      },
    ],
  },
  {
    section: '4.3',
    says: 'overwrites and updates answer bare, and a certificate goes with its key',
    steps: [
      { send: 'PUT /digital_certificates/14', body: CERTIFICATE, status: 200, is: { id: 14, name: 'c' } },
      { send: 'PATCH /digital_certificates/14', body: { name: 'd' }, status: 200, is: { id: 14, name: 'd' } },
      {
        send: 'PATCH /digital_certificates/14',
        body: { certificate: CERTIFICATE.certificate },
        status: 400,
        is: { private_key: [expect.any(String)] },
      },
      {
        send: 'PATCH /digital_certificates/14',
        version: 1,
        body: { ...CERTIFICATE },
        status: 200,
        is: { id: 14, name: 'c' },
      },
    ],
  },
  {
    section: '2.3',
    says: 'certificates and keys are PEM texts',
    steps: [
      {
        send: 'POST /digital_certificates',
        body: { ...CERTIFICATE, certificate: 'AA==', private_key: PEM('CERTIFICATE') },
        status: 400,
        is: { certificate: [expect.any(String)], private_key: [expect.any(String)] },
      },
    ],
  },
];

const purge: readonly Row[] = [
  {
    section: '4.4',
    says: 'a purge by URL answers 207 with a batch for the URLs accepted and one for those of other accounts',
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: ['https://www.shop.example.com/a.css', 'www.foreign.example/b'], method: 'delete' },
        status: 207,
        is: [
          {
            status: 'HTTP/1.1 201 CREATED',
            urls: ['https://www.shop.example.com/a.css'],
            details: expect.stringContaining('created'),
          },
          {
            status: 'HTTP/1.1 403 FORBIDDEN',
            urls: ['www.foreign.example/b'],
            details: expect.stringContaining('not authorized'),
          },
        ],
      },
    ],
  },
  {
    section: '4.4',
    says: 'a purge by cache key answers 201 with details; versions 2 and 3 take a layer, version 1 does not',
    steps: [1, 2, 3].map((version) => ({
      send: 'POST /purge/cachekey',
      version,
      body: { urls: ['www.shop.example.com/a@@'], method: 'delete', layer: 'l2_caching' },
      ...(version === 1 ? { status: 400 } : { status: 201, is: { details: expect.any(String) } }),
    })),
  },
  {
    section: '4.4',
    says: 'a purge by wildcard takes exactly one expression and answers 201 with detail',
    steps: [
      {
        send: 'POST /purge/wildcard',
        body: { urls: ['www.shop.example.com/*'], method: 'delete' },
        status: 201,
        is: { detail: expect.any(String) },
      },
      {
        send: 'POST /purge/wildcard',
        body: { urls: ['www.shop.example.com/a'], method: 'delete' },
        status: 400,
      },
    ],
  },
  {
    section: '2.11',
    says: 'the method of a purge is delete',
    steps: [{ send: 'POST /purge/url', body: { urls: ['a'], method: 'purge' }, status: 400 }],
  },
];

const applications: readonly Row[] = [
  {
    section: '4.5',
    says: 'edge applications are listed with their origins and read with their switches',
    steps: [
      {
        send: 'GET /edge_applications?page_size=1',
        status: 200,
        has: {
          count: 3,
          results: [
            {
              id: 1528990720,
              name: 'shop',
              active: true,
              origins: [
                {
                  name: 'Default Origin',
                  origin_type: 'single_origin',
                  origin_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
                },
              ],
            },
          ],
        },
      },
      {
        send: 'GET /edge_applications/1528990720',
        status: 200,
        is: {
          results: {
            id: 1528990720,
            name: 'shop',
            delivery_protocol: expect.any(String),
            active: true,
            application_acceleration: expect.any(Boolean),
            caching: true,
            device_detection: expect.any(Boolean),
            edge_functions: true,
            image_optimization: true,
            load_balancer: true,
          },
          schema_version: 3,
        },
      },
    ],
  },
  {
    section: '4.5',
    says: 'an edge application is created, overwritten and updated, each time answered in detail',
    steps: [
      {
        send: 'POST /edge_applications',
        body: {
          name: 'new',
          delivery_protocol: 'http',
          origin_type: 'single_origin',
          address: 'origin.example.com',
        },
        status: 201,
        has: { results: { name: 'new', active: true, load_balancer: false } },
      },
      {
        send: 'PATCH /edge_applications/{id}',
        body: { load_balancer: true },
        status: 200,
        has: { results: { name: 'new', load_balancer: true } },
      },
      {
        send: 'PUT /edge_applications/{id}',
        body: { name: 'newer' },
        status: 200,
        has: { results: { name: 'newer', load_balancer: false } },
      },
    ],
  },
];

const functions: readonly Row[] = [
  {
    section: '4.6',
    says: 'the list of functions counts references',
    steps: [
      {
        send: 'GET /edge_functions?page_size=1',
        status: 200,
        has: {
          count: 3,
          results: [{ id: 4184, reference_count: 1, json_args: { signing_key: expect.any(String) } }],
        },
      },
    ],
  },
  {
    section: '4.6',
    says: 'a function is created with its editor and date, overwritten with its id as a string, updated in part',
    steps: [
      {
        send: 'POST /edge_functions',
        body: {
          name: 'f',
          language: 'javascript',
          code: 'x',
          initiator_type: 'edge_application',
          active: true,
        },
        status: 201,
        has: {
          results: { json_args: {}, function_to_run: '', last_editor: EDITED.last_editor, modified: STAMP },
        },
      },
      {
        send: 'PATCH /edge_functions/{id}',
        body: { json_args: { a: 1 } },
        status: 200,
        has: { results: { name: 'f', json_args: { a: 1 } } },
      },
      {
        send: 'PUT /edge_functions/{id}',
        body: {
          name: 'g',
          language: 'javascript',
          code: 'y',
          initiator_type: 'edge_application',
          active: false,
        },
        status: 200,
        has: { results: { id: expect.stringMatching(/^\d+$/), name: 'g', active: false, json_args: {} } },
      },
    ],
  },
  {
    section: '2.5',
    says: 'a function needs a name, a language, code, an initiator and its state',
    steps: [
      {
        send: 'POST /edge_functions',
        body: { name: '' },
        status: 400,
        is: {
          name: ['This field may not be blank'],
          language: ['This field is required.'],
          code: ['This field is required.'],
          initiator_type: ['This field is required.'],
          active: ['This field is required.'],
        },
      },
    ],
  },
];

const firewalls: readonly Row[] = [
  {
    section: '4.7',
    says: 'a firewall is created with domains linked, and overwritten with defaults',
    steps: [
      { send: 'GET /edge_firewall', status: 200, has: { ...LIST, count: 2 } },
      {
        send: 'POST /edge_firewall',
        body: { name: 'w', domains: [1536580016], waf_enabled: true },
        status: 201,
        has: { results: { domains: [1536580016], waf_enabled: true, ...EDITED } },
      },
      { send: 'GET /edge_firewall/{id}', status: 200, has: { results: { name: 'w' } } },
      {
        send: 'PUT /edge_firewall/{id}',
        body: { name: 'v' },
        status: 200,
        has: { results: { domains: [], waf_enabled: false } },
      },
      { send: 'POST /edge_firewall', body: { name: 'w', domains: [5] }, status: 400 },
    ],
  },
  {
    section: '4.8',
    says: 'legacy rule sets are a bare array, and overwritten and updated by themselves',
    steps: [
      {
        send: 'GET /edge_firewall/rulesets',
        version: 1,
        status: 200,
        has: [{ id: 534 }, { id: 535, secret: expect.any(String) }],
      },
      {
        send: 'PATCH /edge_firewall/rulesets/535',
        version: 1,
        body: { geo_block: 'whitelist', geo_countries: ['BRA'] },
        status: 200,
        has: {
          id: 535,
          name: 'Signed downloads',
          geo_block: 'whitelist',
          geo_countries: ['BRA'],
          require_secure_token: true,
        },
      },
      {
        send: 'PUT /edge_firewall/rulesets/535',
        version: 1,
        body: { name: 'plain' },
        status: 200,
        has: { id: 535, geo_block: 'disabled', geo_countries: [], require_secure_token: false, secret: null },
      },
      {
        send: 'PUT /edge_firewall/rulesets/535',
        version: 1,
        body: {},
        status: 400,
        is: { name: ['This field is required.'] },
      },
    ],
  },
  {
    section: '2.7',
    says: 'the fields of a legacy rule set take their own values only, and a token needs a secret',
    steps: [
      { geo_block: 'maybe' },
      { geo_countries: ['BR'] },
      { ip_blocking_rule: 'x' },
      { ip_blocking_addresses: ['x'] },
      { require_secure_token: true },
    ].map((body) => ({ send: 'PATCH /edge_firewall/rulesets/534', version: 1, body, status: 400 })),
  },
  {
    section: '4.9',
    says: 'WAF rule sets are a bare array, read one by one, and never written',
    steps: [
      {
        send: 'GET /waf/rulesets',
        version: 2,
        status: 200,
        has: [
          { id: 3, mode: 'blocking' },
          { id: 4, mode: 'counting' },
        ],
      },
      {
        send: 'GET /waf/rulesets/3',
        version: 2,
        status: 200,
        has: { sql_injection: true, sql_injection_sensitivity: 'medium', whitelist: expect.any(String) },
      },
      { send: 'GET /waf/rulesets/5', version: 2, status: 404 },
      { send: 'PATCH /waf/rulesets/3', version: 2, body: { mode: 'counting' }, status: 405 },
    ],
  },
  {
    section: '4.9',
    says: 'the owner of the sandbox changes WAF rule sets by its control endpoint',
    steps: [
      {
        send: 'PATCH /_sandbox/waf/rulesets/3',
        body: { mode: 'counting', sql_injection_sensitivity: 'low' },
        status: 200,
      },
      {
        send: 'GET /waf/rulesets/3',
        version: 2,
        status: 200,
        has: { mode: 'counting', sql_injection_sensitivity: 'low' },
      },
      { send: 'PATCH /_sandbox/waf/rulesets/3', body: { mode: 'off' }, status: 400 },
      { send: 'PATCH /_sandbox/waf/rulesets/5', body: {}, status: 404 },
    ],
  },
];

const lists: readonly Row[] = [
  {
    section: '4.10',
    says: 'network lists are listed without items, and read with items but no id',
    steps: [
      {
        send: 'GET /network_lists',
        status: 200,
        has: { ...LIST, count: 3, results: [{ id: 1009, list_type: 'ip_cidr' }, { id: 1010 }, { id: 1011 }] },
      },
      {
        send: 'GET /network_lists/1010',
        status: 200,
        is: {
          results: {
            name: 'Scrapers',
            list_type: 'asn',
            items_values: expect.arrayContaining([64496, 64511]),
            last_editor: expect.any(String),
            last_modified: expect.any(String),
          },
          schema_version: 3,
        },
      },
    ],
  },
  {
    section: '4.10',
    says: "the platform's own lists have fixed ids and stay as they are",
    steps: [
      {
        send: 'GET /network_lists/187',
        status: 200,
        has: { results: { list_type: 'ip_cidr', name: 'Origin shield' } },
      },
      { send: 'GET /network_lists/2', status: 200, has: { results: { list_type: 'ip_cidr' } } },
      { send: 'PUT /network_lists/187', body: { name: 'mine', list_type: 'asn' }, status: 403 },
    ],
  },
  {
    section: '4.10',
    says: 'a list is created and overwritten, AS numbers sent as strings come back as numbers',
    steps: [
      {
        send: 'POST /network_lists',
        body: { name: 'l', list_type: 'asn', items_values: ['1', 2, '3'] },
        status: 201,
        has: { results: { id: 1012, items_values: expect.arrayContaining([1, 2, 3]), ...EDITED } },
      },
      {
        send: 'PUT /network_lists/{id}',
        body: { name: 'm', list_type: 'countries', items_values: ['BR'] },
        status: 200,
        has: { results: { id: 1012, items_values: ['BR'] } },
      },
    ],
  },
  {
    section: '2.9',
    says: 'items fit the type of their list',
    steps: [
      ['ip_cidr', '300.1.1.1'],
      ['asn', 'x'],
      ['countries', 'BRA'],
      ['colours', 'red'],
    ].map(([list_type, item]) => ({
      send: 'POST /network_lists',
      body: { name: 'l', list_type, items_values: [item] },
      status: 400,
    })),
  },
];

const dns: readonly Row[] = [
  {
    section: '4.11',
    says: 'zones are listed in short and read in full',
    steps: [
      {
        send: 'GET /intelligent_dns?page_size=1',
        status: 200,
        has: {
          count: 2,
          results: [{ is_active: true, domain: 'example.com', name: 'Zone of example.com', id: 40960 }],
        },
      },
      {
        send: 'GET /intelligent_dns/40960',
        status: 200,
        has: {
          results: {
            nameservers: expect.any(Array),
            expiry: 1209600,
            nx_ttl: 3600,
            refresh: 43200,
            retry: 7200,
            soa_ttl: 3600,
          },
        },
      },
    ],
  },
  {
    section: '4.11',
    says: 'a zone is created, overwritten, and deleted with its records',
    steps: [
      {
        send: 'POST /intelligent_dns',
        body: { name: 'z', domain: 'new.example' },
        status: 201,
        has: { results: { is_active: true, soa_ttl: 3600 } },
      },
      {
        send: 'PUT /intelligent_dns/{id}',
        body: { name: 'y', domain: 'new.example', is_active: false },
        status: 200,
        has: { results: { name: 'y', is_active: false } },
      },
      { send: 'DELETE /intelligent_dns/{id}', status: 204 },
      { send: 'GET /intelligent_dns/{id}/records', status: 404 },
    ],
  },
  {
    section: '4.11',
    says: 'records are listed inside an object with their zone',
    steps: [
      {
        send: 'GET /intelligent_dns/40960/records?page_size=1',
        status: 200,
        has: {
          count: 6,
          total_pages: 6,
          links: { next: expect.stringContaining('/intelligent_dns/40960/records?page=2&page_size=1') },
          results: {
            records: [{ record_type: 'ANAME', entry: '@', ttl: 20 }],
            zone_id: 40960,
            zone_domain: 'example.com',
          },
        },
      },
    ],
  },
  {
    section: '4.11',
    says: 'a record is created with its ids, overwritten and deleted',
    steps: [
      {
        send: 'POST /intelligent_dns/40960/records',
        body: { record_type: 'A', entry: 'a', answers_list: ['192.0.2.1'], ttl: 60 },
        status: 201,
        has: { results: { id: expect.any(Number), zone_id: 40960, ttl: 60 } },
      },
      {
        send: 'PUT /intelligent_dns/40960/records/{id}',
        body: { record_type: 'A', entry: 'a', answers_list: ['192.0.2.2'] },
        status: 200,
        has: { results: { ttl: 3600 } },
      },
      { send: 'DELETE /intelligent_dns/40961/records/{id}', status: 404 },
      { send: 'DELETE /intelligent_dns/40960/records/{id}', status: 204 },
      { send: 'DELETE /intelligent_dns/40960/records/{id}', status: 404 },
    ],
  },
];

const WORKLOAD = '/v4/workspace/workloads/1720000000';

const workloads: readonly Row[] = [
  {
    section: '4.16',
    says: 'the hostnames sent replace those of the workload',
    steps: [
      {
        send: `PATCH ${WORKLOAD}`,
        headers: { accept: 'application/json' },
        body: { domains: ['a.example.com', 'b.example.com'] },
        status: 202,
        has: {
          data: {
            domains: ['a.example.com', 'b.example.com'],
            workload_domain: '1720000000.map.edge.example.net',
          },
        },
      },
    ],
  },
  {
    section: '4.16',
    says: 'a workload answers only the hostnames in its list',
    steps: [
      { send: 'GET /_sandbox/edge?host=front.shop.example.com', status: 200, has: { status: 200 } },
      { send: 'GET /_sandbox/edge?host=other.shop.example.com', status: 200, has: { status: 404 } },
    ],
  },
];

describe('section 4, the estate', () =>
  conforms([
    ...certificates,
    ...purge,
    ...applications,
    ...functions,
    ...firewalls,
    ...lists,
    ...dns,
    ...workloads,
  ]));
