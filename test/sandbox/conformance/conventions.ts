import { expect } from 'vitest';
import { APPLICATION, DOMAIN, FIREWALL, INTEGER, single, TIMESTAMP } from './expected.ts';
import { BASIC, type Row } from './row.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Section 2.0 and the rules of section 4.0 about requests. */
export const conventions: readonly Row[] = [
  {
    section: '2.0',
    quotes: ['Identifiers of resources are integers unless stated otherwise.'],
    steps: [
      { send: `GET ${DOMAIN}`, status: 200, has: { results: { id: INTEGER } } },
      { send: 'GET /waf/rulesets/3', version: 2, status: 200, has: { id: INTEGER } },
      { send: 'GET /domains/shop', status: 404 },
    ],
  },
  {
    section: '2.0',
    quotes: ['Timestamps returned by version 3 are ISO 8601 UTC strings with a trailing `Z`.'],
    families: ['edge_token_expiry_timestamp_seconds'],
    embedded:
      'setting `token_timestamps`, `specified` unless set. Answers recorded from such a platform have them the other way round, with a space and `+00:00` in version 3: `recorded` answers so',
    steps: [
      {
        send: 'POST /tokens',
        headers: BASIC,
        status: 201,
        has: { created_at: TIMESTAMP, expires_at: TIMESTAMP },
      },
      { send: `GET ${FIREWALL}`, status: 200, has: { results: { last_modified: TIMESTAMP } } },
      { send: 'GET /edge_functions/4184', status: 200, has: { results: { modified: TIMESTAMP } } },
    ],
  },
  {
    section: '2.0',
    quotes: ['The version 1 token sample uses a space separator and a `+00:00` offset.'],
    families: ['edge_token_expiry_timestamp_seconds'],
    embedded: 'setting `token_timestamps`, `specified` unless set; `recorded` ends in `Z` in version 1',
    steps: [
      {
        send: 'POST /tokens',
        version: 1,
        headers: BASIC,
        status: 201,
        has: { expires_at: expect.stringMatching(/^2026-11-21 12:34:20\.\d{6}\+00:00$/) },
      },
    ],
  },
  {
    section: '2.0',
    quotes: [
      'Version 3 single-resource responses use the envelope `{ results: <object>, schema_version: 3 }`.',
    ],
    steps: [DOMAIN, APPLICATION, FIREWALL].map((path) => ({
      send: `GET ${path}`,
      status: 200,
      is: single(expect.any(Object)),
    })),
  },
  {
    section: '4.0',
    quotes: ['Every request carries `Accept: application/json; version=<n>`.', 'Version 3 is current.'],
    steps: [
      { send: 'GET /domains', headers: { accept: null }, status: 406 },
      { send: 'GET /domains', version: 3, status: 200 },
    ],
  },
  {
    section: '4.0',
    quotes: [
      'Every operation except token creation and revocation carries `Authorization: Token <ACCESS_TOKEN>`.',
    ],
    steps: ['GET /domains', 'POST /purge/url', 'GET /analytics/metadata'].map((send) => ({
      send,
      headers: { authorization: null },
      status: 401,
    })),
  },
  {
    section: '4.0',
    quotes: ['A request with a body carries `Content-Type: application/json`.'],
    embedded: '400 to a body without it',
    steps: [null, 'text/plain'].map((type) => ({
      send: `PATCH ${DOMAIN}`,
      body: { is_active: false },
      headers: { 'content-type': type },
      status: 400,
      is: { detail: 'Content-Type: application/json is required.' },
    })),
  },
  {
    section: '4.0',
    quotes: ['The DNS record DELETE also lists it as required.'],
    embedded: '400 to a request without it',
    steps: [
      { send: 'DELETE /intelligent_dns/40960/records/90000', status: 400 },
      { send: 'DELETE /intelligent_dns/40960/records/90000', headers: JSON_TYPE, status: 204 },
    ],
  },
  {
    section: '4.0',
    quotes: [
      'PUT overwrites every field and keeps the id.',
      'Optional fields left out take their defaults.',
      'PATCH changes only the fields sent and keeps the others.',
    ],
    steps: [
      {
        send: `PATCH ${DOMAIN}`,
        body: { cname_access_only: true },
        status: 200,
        has: { results: { name: 'shop', cname_access_only: true, cnames: ['www.shop.example.com'] } },
      },
      {
        send: `PUT ${DOMAIN}`,
        body: { id: 5, name: 'store', edge_application_id: 1528990720 },
        status: 200,
        has: { results: { id: 1536580016, name: 'store', cname_access_only: false, cnames: [] } },
      },
    ],
  },
  {
    section: '4.0',
    quotes: ['A path written `:name` is a path parameter.'],
    steps: [
      { send: 'GET /domains/1536580016', status: 200 },
      { send: 'GET /domains/1536580017', status: 200 },
      { send: 'GET /domains/:domain_id', status: 404 },
    ],
  },
  {
    section: '4.0',
    quotes: [
      'Success statuses of version 3 create, overwrite and update operations: not shown (the version 1 samples show 201 for create, 200 for overwrite and update, and 204 for delete).',
    ],
    embedded: '201, 200, 200 and 204 in every version',
    steps: [
      { send: 'POST /edge_applications', body: { name: 'new' }, status: 201 },
      { send: 'PUT /edge_applications/{id}', body: { name: 'newer' }, status: 200 },
      { send: 'PATCH /edge_applications/{id}', body: { active: false }, status: 200 },
      { send: 'DELETE /edge_applications/{id}', status: 204 },
    ],
  },
  {
    section: '4.0',
    quotes: [
      'Which body fields are required on create for domains, hosted zones, records, network lists and edge applications: not shown.',
    ],
    embedded:
      'those without a sensible default: name; `edge_application_id` of a domain, `domain` of a zone, type, entry and answers of a record, `list_type` of a network list',
    steps: [
      { send: 'POST /domains', body: { name: 'd' }, status: 400 },
      { send: 'POST /intelligent_dns', body: { name: 'z' }, status: 400 },
      { send: 'POST /intelligent_dns/40960/records', body: { entry: 'e' }, status: 400 },
      { send: 'POST /network_lists', body: { name: 'l' }, status: 400 },
      { send: 'POST /edge_applications', body: {}, status: 400 },
    ],
  },
];
