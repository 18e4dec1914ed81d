import { expect } from 'vitest';
import { INTEGER, TEXT } from './expected.ts';
import type { Checked, Row } from './row.ts';

const ORDERED =
  'Optional query parameters on version 3 GET operations: `order_by` (field name available on the endpoint; ascending by default), `sort` (`asc` or `desc`), `page` (integer, default 1), `page_size` (integer, default 10).';

/** Every version 3 list with the fields that it shows. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/domains': [
    'id',
    'name',
    'cnames',
    'cname_access_only',
    'digital_certificate_id',
    'edge_application_id',
    'is_active',
    'domain_name',
  ],
  '/digital_certificates': ['id', 'name'],
  '/edge_applications': ['id', 'name', 'active', 'origins'],
  '/edge_functions': [
    'id',
    'name',
    'language',
    'code',
    'initiator_type',
    'active',
    'json_args',
    'function_to_run',
    'last_editor',
    'modified',
    'reference_count',
  ],
  '/edge_firewall': [
    'id',
    'name',
    'last_editor',
    'last_modified',
    'is_active',
    'edge_functions_enabled',
    'network_protection_enabled',
    'waf_enabled',
    'domains',
  ],
  '/network_lists': ['id', 'last_editor', 'last_modified', 'list_type', 'name'],
  '/intelligent_dns': ['is_active', 'domain', 'name', 'id'],
  '/intelligent_dns/40960/records': ['record_type', 'ttl', 'answers_list', 'entry'],
};

const byField = Object.entries(FIELDS).map(
  ([path, fields]): Checked => ({
    section: '4.0',
    variant: `on ${path}`,
    quotes: [ORDERED],
    steps: [
      ...fields.map((field) => ({ send: `GET ${path}?order_by=${field}`, status: 200 })),
      { send: `GET ${path}?order_by=colour`, status: 400, has: { order_by: [TEXT] } },
    ],
  }),
);

const names = (...all: string[]) => ({ results: all.map((name) => ({ name })) });

/** The envelope of lists (2.0), and their pages and order (4.0, 4.15). */
export const lists: readonly Row[] = [
  {
    section: '2.0',
    quotes: [
      'Version 3 list responses use this envelope:',
      'count · integer · total number of items',
      'total_pages · integer · number of pages',
      'schema_version · integer · 3',
      'links · object · `previous` and `next`; each is null or a URL string carrying `page` and `page_size` query parameters',
      'results · array (object for the records list) · the items of the page',
    ],
    steps: [
      {
        send: 'GET /domains?page=2&page_size=2',
        status: 200,
        is: {
          count: 6,
          total_pages: 3,
          schema_version: 3,
          links: {
            previous: expect.stringMatching(/^http.*\/domains\?page=1&page_size=2$/),
            next: expect.stringMatching(/^http.*\/domains\?page=3&page_size=2$/),
          },
          results: [{ id: INTEGER }, { id: INTEGER }].map((item) => expect.objectContaining(item)),
        },
      },
      {
        send: 'GET /domains?page=3&page_size=2',
        status: 200,
        has: { links: { previous: TEXT, next: null } },
      },
      {
        send: 'GET /intelligent_dns/40960/records',
        status: 200,
        has: { results: { records: [{}, {}, {}, {}, {}, {}] } },
      },
    ],
  },
  ...byField,
  {
    section: '4.0',
    variant: 'ascending, descending, by numbers, by lists and by nothing',
    quotes: [ORDERED],
    steps: [
      { send: 'GET /edge_applications?order_by=name', status: 200, has: names('news', 'shop', 'video') },
      {
        send: 'GET /edge_applications?order_by=name&sort=desc',
        status: 200,
        has: names('video', 'shop', 'news'),
      },
      {
        send: 'GET /digital_certificates?order_by=id&sort=desc',
        status: 200,
        has: { results: [{ id: 15 }, { id: 14 }] },
      },
      {
        send: 'GET /edge_functions?order_by=reference_count&sort=asc',
        status: 200,
        has: { results: [{ id: 4184 }, {}, {}] },
      },
      {
        send: 'GET /edge_firewall?order_by=domains',
        status: 200,
        has: { results: [{ domains: [] }, { domains: [1536580016, 1536580017] }] },
      },
      {
        send: 'GET /domains?order_by=cnames&sort=desc&page_size=2',
        status: 200,
        has: { results: [{ cnames: ['www2.video.example.com'] }, { cnames: ['www2.shop.example.com'] }] },
      },
      { send: 'GET /domains?sort=up', status: 400, has: { sort: [TEXT] } },
    ],
  },
  {
    section: '4.0',
    quotes: ['They combine.'],
    steps: [
      {
        send: 'GET /edge_applications?order_by=name&sort=desc&page=2&page_size=1',
        status: 200,
        has: {
          ...names('shop'),
          links: {
            previous: expect.stringContaining('page=1&page_size=1&order_by=name&sort=desc'),
            next: expect.stringContaining('page=3&page_size=1&order_by=name&sort=desc'),
          },
        },
      },
    ],
  },
  {
    section: '4.15',
    quotes: ['See 4.0.', 'The `next` link of a list carries `page` and `page_size`.'],
    steps: [
      {
        send: 'GET /edge_functions?page_size=1',
        status: 200,
        has: { links: { next: expect.stringMatching(/\/edge_functions\?page=2&page_size=1$/) } },
      },
    ],
  },
  {
    section: '8',
    quotes: ['page_size default · version 3 list reads · 10', 'page default · version 3 list reads · 1'],
    options: { configurations: 6 },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        has: {
          count: 12,
          total_pages: 2,
          links: { previous: null, next: expect.stringContaining('page=2&page_size=10') },
          results: Array(10).fill({}),
        },
      },
    ],
  },
];
