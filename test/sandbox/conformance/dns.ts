import { expect } from 'vitest';
import { BOOLEAN, envelope, INTEGER, single, TEXT, TEXTS, ZONE } from './expected.ts';
import type { Row } from './row.ts';

const TIMES = { expiry: INTEGER, nx_ttl: INTEGER, refresh: INTEGER, retry: INTEGER, soa_ttl: INTEGER };
const LISTED = { id: INTEGER, name: TEXT, domain: TEXT, is_active: BOOLEAN };
const SHOWN = { ...LISTED, nameservers: TEXTS, ...TIMES };
const NEW = { record_type: 'CNAME', entry: 'a', answers_list: ['b.example'], ttl: 60 };
const RECORD = { ...NEW, id: INTEGER, zone_id: 40960 };
const RECORDS = `${ZONE}/records`;

/** Sections 2.10 and 4.11. */
export const dns: readonly Row[] = [
  {
    section: '2.10',
    quotes: [
      'Hosted zone: `id` (integer), `name` (string), `domain` (string), `is_active` (boolean), plus read-only `nameservers` (array of strings), `expiry`, `nx_ttl`, `refresh`, `retry`, `soa_ttl` (integers, seconds).',
    ],
    families: [
      'edge_zone_info',
      'edge_zone_active',
      'edge_zone_nameservers',
      'edge_zone_expiry_seconds',
      'edge_zone_negative_ttl_seconds',
      'edge_zone_refresh_seconds',
      'edge_zone_retry_seconds',
      'edge_zone_soa_ttl_seconds',
    ],
    steps: [
      {
        send: `PUT ${ZONE}`,
        body: { name: 'z', domain: 'example.com', nameservers: [], expiry: 1 },
        status: 200,
      },
      {
        send: `GET ${ZONE}`,
        status: 200,
        is: single({ ...SHOWN, expiry: 1209600, nameservers: [TEXT, TEXT, TEXT] }),
      },
    ],
  },
  {
    section: '2.10',
    quotes: ['The list returns only `id`, `name`, `domain`, `is_active`.'],
    families: ['edge_zone_info'],
    steps: [{ send: 'GET /intelligent_dns', status: 200, is: { ...envelope(2), results: [LISTED, LISTED] } }],
  },
  {
    section: '2.10',
    quotes: [
      'Record: `id` (integer, read-only), `zone_id` (integer, read-only), `record_type` (string; `ANAME` and `CNAME` are in use), `entry` (string; `@` stands for the zone apex), `answers_list` (array of strings), `ttl` (integer).',
      'Record types beyond those in use: not shown.',
    ],
    families: ['edge_zone_records{record_type}', 'edge_zone_record_ttl_min_seconds'],
    embedded: 'any type in capital letters',
    steps: [
      { send: `POST ${RECORDS}`, body: { ...NEW, id: 5, zone_id: 5 }, status: 201, is: single(RECORD) },
      { send: `PUT ${RECORDS}/{id}`, body: { ...NEW, record_type: 'TXT', ttl: 'x' }, status: 400 },
      { send: `PUT ${RECORDS}/{id}`, body: { ...NEW, record_type: 'txt' }, status: 400 },
      {
        send: `GET ${RECORDS}`,
        status: 200,
        has: { results: { records: expect.arrayContaining([expect.objectContaining({ entry: '@' })]) } },
      },
    ],
  },
  {
    section: '4.11',
    quotes: [
      'GET · `/intelligent_dns` · paging parameters · list envelope of `{ is_active, domain, name, id }`',
      'GET · `/intelligent_dns/:id` · `:id` number · `{ results: zone (all fields of 2.10), schema_version }`',
    ],
    families: ['edge_zone_info'],
    steps: [
      { send: 'GET /intelligent_dns', status: 200, is: envelope(2, { id: 40960 }) },
      { send: `GET ${ZONE}`, status: 200, is: single(SHOWN) },
      { send: 'GET /intelligent_dns/5', status: 404 },
    ],
  },
  {
    section: '4.11',
    quotes: [
      'POST · `/intelligent_dns` · name, domain, is_active · `{ results: zone, schema_version }`',
      'PUT · `/intelligent_dns/:zone_id` · name, domain, is_active · `{ results: zone, schema_version }`',
      'DELETE · `/intelligent_dns/:zone_id` · - · 204',
    ],
    embedded: 'a zone goes with its records; 409 to a domain that has a zone; 405 to a PATCH',
    steps: [
      {
        send: 'POST /intelligent_dns',
        body: { name: 'z', domain: 'new.example' },
        status: 201,
        is: single(SHOWN),
      },
      {
        send: 'PUT /intelligent_dns/{id}',
        body: { name: 'y', domain: 'new.example', is_active: false },
        status: 200,
        is: single({ ...SHOWN, name: 'y', is_active: false }),
      },
      { send: 'PATCH /intelligent_dns/{id}', body: {}, status: 405 },
      { send: 'POST /intelligent_dns', body: { name: 'z', domain: 'new.example' }, status: 409 },
      { send: `DELETE ${ZONE}`, status: 204 },
      { send: `GET ${RECORDS}`, status: 404 },
    ],
  },
  {
    section: '4.11',
    quotes: [
      'GET · `/intelligent_dns/:id/records` · - · list envelope whose `results` is `{ records: [ { record_type, ttl, answers_list, entry } ], zone_id, zone_domain }`',
    ],
    families: ['edge_zone_records'],
    steps: [
      {
        send: `GET ${RECORDS}?page_size=1`,
        status: 200,
        is: {
          count: 6,
          total_pages: 6,
          schema_version: 3,
          links: { previous: null, next: expect.stringContaining(`${RECORDS}?page=2&page_size=1`) },
          results: {
            records: [{ record_type: 'ANAME', ttl: 20, answers_list: TEXTS, entry: '@' }],
            zone_id: 40960,
            zone_domain: 'example.com',
          },
        },
      },
    ],
  },
  {
    section: '4.11',
    quotes: [
      'POST · `/intelligent_dns/:zone_id/records` · record_type, entry, answers_list, ttl · `{ results: record with id and zone_id, schema_version }`',
      'PUT · `/intelligent_dns/:zone_id/records/:record_id` · record_type, entry, answers_list, ttl · `{ results: record, schema_version }`',
      'DELETE · `/intelligent_dns/:zone_id/records/:record_id` · - · 204',
    ],
    embedded: 'a `ttl` of 3600 unless sent; 409 to a record that exists',
    steps: [
      { send: `POST ${RECORDS}`, body: NEW, status: 201, is: single(RECORD) },
      {
        send: `PUT ${RECORDS}/{id}`,
        body: { ...NEW, answers_list: ['c.example'], ttl: undefined },
        status: 200,
        is: single({ ...RECORD, answers_list: ['c.example'], ttl: 3600 }),
      },
      {
        send: `DELETE /intelligent_dns/40961/records/{id}`,
        headers: { 'content-type': 'application/json' },
        status: 404,
      },
      { send: `DELETE ${RECORDS}/{id}`, headers: { 'content-type': 'application/json' }, status: 204 },
      { send: `DELETE ${RECORDS}/{id}`, headers: { 'content-type': 'application/json' }, status: 404 },
    ],
  },
];
