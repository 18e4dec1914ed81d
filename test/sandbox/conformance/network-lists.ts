import { expect } from 'vitest';
import { envelope, INTEGER, NOW, single, TEXT, TIMESTAMP } from './expected.ts';
import type { Row } from './row.ts';

const PATH = '/network_lists';
const LISTED = { id: INTEGER, name: TEXT, list_type: TEXT, last_editor: TEXT, last_modified: TIMESTAMP };
const DETAIL = {
  name: TEXT,
  list_type: TEXT,
  items_values: expect.any(Array),
  last_editor: TEXT,
  last_modified: TIMESTAMP,
};
const create = (list_type: string, items_values: unknown) => ({
  send: `POST ${PATH}`,
  body: { name: 'l', list_type, items_values },
});
const ADDRESSES = Array.from({ length: 8 }, (_, index) => `192.0.2.${index}`);

/** Sections 2.9 and 4.10. */
export const networkLists: readonly Row[] = [
  {
    section: '2.9',
    quotes: ['id · integer · returned by list, create and overwrite', 'name · string · '],
    families: ['edge_network_list_info'],
    steps: [
      { send: `GET ${PATH}`, status: 200, has: { results: [{ id: 1009, name: 'Offices' }, {}, {}] } },
      { ...create('asn', []), status: 201, has: { results: { id: 1012 } } },
      {
        send: `PUT ${PATH}/{id}`,
        body: { name: 'm', list_type: 'asn' },
        status: 200,
        has: { results: { id: 1012 } },
      },
    ],
  },
  {
    section: '2.9',
    quotes: ['list_type · string · `ip_cidr`, `asn`, `countries`'],
    families: ['edge_network_list_info{list_type}'],
    steps: [
      ...['ip_cidr', 'asn', 'countries'].map((type) => ({ ...create(type, []), status: 201 })),
      { ...create('colours', []), status: 400, is: { list_type: [TEXT] } },
    ],
  },
  {
    section: '2.9',
    quotes: [
      'items_values · array · `ip_cidr`: strings of IP addresses or CIDR masks; `asn`: numbers on read (strings are accepted on write); `countries`: two-letter country codes',
    ],
    families: ['edge_network_list_items'],
    embedded: '400 to an item of another type',
    steps: [
      { ...create('ip_cidr', ['192.0.2.1']), status: 201, has: { results: { items_values: ['192.0.2.1'] } } },
      { ...create('asn', ['64496']), status: 201, has: { results: { items_values: [64496] } } },
      { ...create('countries', ['BR']), status: 201, has: { results: { items_values: ['BR'] } } },
      ...Object.entries({ ip_cidr: '300.1.1.1', asn: 'x', countries: 'BRA' }).map(([type, item]) => ({
        ...create(type, [item]),
        status: 400,
        is: { items_values: [TEXT] },
      })),
    ],
  },
  {
    section: '2.9',
    quotes: ['last_editor · string · read-only', 'last_modified · string · read-only timestamp'],
    families: [
      'edge_network_list_modified_timestamp_seconds',
      'edge_network_list_changed_timestamp_seconds',
      'edge_network_list_last_editor_info{last_editor}',
    ],
    steps: [
      {
        send: `PUT ${PATH}/1009`,
        body: { name: 'm', list_type: 'asn', last_editor: 'me', last_modified: '2000-01-01T00:00:00Z' },
        status: 200,
        has: { results: { last_editor: 'operator@example.com', last_modified: NOW } },
      },
    ],
  },
  {
    section: '2.9',
    quotes: ['The order of items in a response can differ from the order sent.'],
    embedded: 'it differs, always in the same way',
    steps: [
      {
        ...create('ip_cidr', ADDRESSES),
        status: 201,
        has: {
          results: {
            items_values: expect.toSatisfy(
              (items) => items.join() !== ADDRESSES.join() && items.toSorted().join() === ADDRESSES.join(),
              'is in another order',
            ),
          },
        },
      },
    ],
  },
  {
    section: '4.10',
    quotes: [
      'GET · `/network_lists` · paging parameters · list envelope of `{ id, last_editor, last_modified, list_type, name }`',
      'GET · `/network_lists/:id` · `:id` number · `{ results: { last_editor, last_modified, list_type, name, items_values }, schema_version }`',
    ],
    families: ['edge_network_list_info', 'edge_network_list_items'],
    steps: [
      { send: `GET ${PATH}`, status: 200, is: { ...envelope(3), results: [LISTED, LISTED, LISTED] } },
      { send: `GET ${PATH}/1010`, status: 200, is: single(DETAIL) },
      { send: `GET ${PATH}/5`, status: 404 },
    ],
  },
  {
    section: '4.10',
    quotes: [
      'GET · `/network_lists/187` · fixed id of the system-provided list of origin shield addresses (type `ip_cidr`) · same shape as the detail read',
      'GET · `/network_lists/2` · fixed id of the system-provided list of anonymizing-network exit node addresses (type `ip_cidr`), meant for use in firewall rules · same shape as the detail read',
    ],
    families: ['edge_network_list_items'],
    embedded: 'not in the list; 403 to a change',
    steps: [187, 2].flatMap((id) => [
      { send: `GET ${PATH}/${id}`, status: 200, is: single({ ...DETAIL, list_type: 'ip_cidr' }) },
      { send: `PUT ${PATH}/${id}`, body: { name: 'mine', list_type: 'asn' }, status: 403 },
    ]),
  },
  {
    section: '4.10',
    quotes: [
      'POST · `/network_lists` · name, list_type, items_values · `{ results: { items_values, name, last_modified, list_type, last_editor, id }, schema_version }`',
      'PUT · `/network_lists/:id` · name, list_type, items_values · same shape as create',
    ],
    embedded: '405 to PATCH and DELETE',
    steps: [
      { ...create('asn', [1]), status: 201, is: single({ ...DETAIL, id: INTEGER }) },
      {
        send: `PUT ${PATH}/{id}`,
        body: { name: 'm', list_type: 'countries', items_values: ['BR'] },
        status: 200,
        is: single({ ...DETAIL, id: INTEGER, items_values: ['BR'] }),
      },
      { send: `DELETE ${PATH}/1009`, status: 405 },
      { send: `PATCH ${PATH}/1009`, body: {}, status: 405 },
    ],
  },
  {
    section: '4.10',
    quotes: ['Network lists can be linked to one or more firewall rule sets.'],
    embedded: 'no field shows it',
  },
];
