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

export const lists: readonly Row[] = [
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
