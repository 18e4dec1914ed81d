import { expect } from 'vitest';
import type { Row } from './row.ts';

const STAMP = expect.stringMatching(/^2026-11-20T12:34:20\.\d{6}Z$/);

const EDITED = { last_editor: 'operator@example.com', last_modified: STAMP };

export const functions: readonly Row[] = [
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
