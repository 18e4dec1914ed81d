import { BOOLEAN, envelope, FIREWALL, INTEGER, INTEGERS, NOW, single, TEXT, TIMESTAMP } from './expected.ts';
import type { Row } from './row.ts';

const DOMAIN = 1536580016;
const FIELDS = {
  name: TEXT,
  is_active: BOOLEAN,
  edge_functions_enabled: BOOLEAN,
  network_protection_enabled: BOOLEAN,
  waf_enabled: BOOLEAN,
  domains: INTEGERS,
};
const SHOWN = { id: INTEGER, ...FIELDS, last_editor: TEXT, last_modified: TIMESTAMP };
const SWITCHES = {
  is_active: 'edge_firewall_active',
  edge_functions_enabled: 'edge_firewall_functions_enabled',
  network_protection_enabled: 'edge_firewall_network_protection_enabled',
  waf_enabled: 'edge_firewall_waf_enabled',
};

/** Sections 2.6 and 4.7. */
export const firewalls: readonly Row[] = [
  {
    section: '2.6',
    quotes: ['id · integer · read-only', 'name · string · '],
    families: ['edge_firewall_info{firewall_id}', 'edge_firewall_info{firewall}'],
    steps: [
      { send: `PUT ${FIREWALL}`, body: { id: 5, name: 'w' }, status: 200 },
      { send: `GET ${FIREWALL}`, status: 200, has: { results: { id: 200, name: 'w' } } },
    ],
  },
  {
    section: '2.6',
    quotes: ['last_editor · string · read-only', 'last_modified · string · read-only timestamp'],
    families: [
      'edge_firewall_modified_timestamp_seconds',
      'edge_firewall_changed_timestamp_seconds',
      'edge_firewall_last_editor_info{last_editor}',
    ],
    steps: [
      {
        send: `PUT ${FIREWALL}`,
        body: { name: 'w', last_editor: 'me', last_modified: '2000-01-01T00:00:00Z' },
        status: 200,
        has: { results: { last_editor: 'operator@example.com', last_modified: NOW } },
      },
    ],
  },
  ...Object.entries(SWITCHES).map(
    ([field, family]): Row => ({
      section: '2.6',
      quotes: [`${field} · boolean · `],
      families: [family],
      steps: [true, false].flatMap((on) => [
        { send: `PUT ${FIREWALL}`, body: { name: 'w', [field]: on }, status: 200 },
        { send: `GET ${FIREWALL}`, status: 200, has: { results: { [field]: on } } },
      ]),
    }),
  ),
  {
    section: '2.6',
    quotes: ['domains · array of integers · ids of domains linked to the firewall; may be empty'],
    families: ['edge_firewall_domains', 'edge_firewall_domain_info{domain_id}'],
    embedded: '400 to a domain that does not exist',
    steps: [
      { send: 'POST /edge_firewall', body: { name: 'w', domains: [] }, status: 201 },
      { send: 'PUT /edge_firewall/{id}', body: { name: 'w', domains: [DOMAIN] }, status: 200 },
      { send: 'GET /edge_firewall/{id}', status: 200, has: { results: { domains: [DOMAIN] } } },
      {
        send: 'PUT /edge_firewall/{id}',
        body: { name: 'w', domains: [5] },
        status: 400,
        is: { domains: [TEXT] },
      },
    ],
  },
  {
    section: '4.7',
    quotes: [
      'GET · `/edge_firewall` · paging parameters · list envelope of Edge firewall objects',
      'GET · `/edge_firewall/:id` · `:id` number · `{ results: firewall, schema_version }`',
    ],
    families: ['edge_firewall_info'],
    steps: [
      { send: 'GET /edge_firewall', status: 200, is: envelope(2, { ...SHOWN, id: 200 }) },
      { send: `GET ${FIREWALL}`, status: 200, is: single(SHOWN) },
      { send: 'GET /edge_firewall/5', status: 404 },
    ],
  },
  {
    section: '4.7',
    quotes: [
      'DELETE · `/edge_firewall/:id` · `:id` integer · 204',
      'POST · `/edge_firewall` · name, domains (array of domain ids, may be empty), is_active, edge_functions_enabled, network_protection_enabled, waf_enabled · `{ results: firewall, schema_version }`',
      'PUT · `/edge_firewall/:id` · same body as POST · `{ results: firewall, schema_version }`',
    ],
    embedded: '405 to a PATCH',
    steps: [
      { send: 'POST /edge_firewall', body: { name: 'w', waf_enabled: true }, status: 201, is: single(SHOWN) },
      {
        send: 'PUT /edge_firewall/{id}',
        body: { name: 'v' },
        status: 200,
        has: { results: { waf_enabled: false } },
      },
      { send: 'PATCH /edge_firewall/{id}', body: { name: 'u' }, status: 405 },
      { send: 'DELETE /edge_firewall/{id}', status: 204 },
      { send: 'GET /edge_firewall/{id}', status: 404 },
    ],
  },
  {
    section: '4.7',
    quotes: ['Domains can be linked to a firewall at creation through the `domains` list.'],
    families: ['edge_firewall_domain_info'],
    steps: [
      {
        send: 'POST /edge_firewall',
        body: { name: 'w', domains: [DOMAIN, DOMAIN + 1] },
        status: 201,
        has: { results: { domains: [DOMAIN, DOMAIN + 1] } },
      },
    ],
  },
];
