import { expect } from 'vitest';
import type { Row } from './row.ts';

const STAMP = expect.stringMatching(/^2026-11-20T12:34:20\.\d{6}Z$/);

const EDITED = { last_editor: 'operator@example.com', last_modified: STAMP };

const LIST = {
  count: expect.any(Number),
  total_pages: 1,
  schema_version: 3,
  links: { previous: null, next: null },
};

export const firewalls: readonly Row[] = [
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
