import { BOOLEAN, envelope, FUNCTION, INTEGER, NOW, single, TEXT, TIMESTAMP } from './expected.ts';
import type { Row } from './row.ts';

const NEW = {
  name: 'f',
  language: 'javascript',
  code: 'x',
  initiator_type: 'edge_application',
  active: true,
};
const SHOWN = {
  id: INTEGER,
  name: TEXT,
  language: 'javascript',
  code: TEXT,
  initiator_type: 'edge_application',
  active: BOOLEAN,
  json_args: {},
  function_to_run: TEXT,
  last_editor: TEXT,
  modified: TIMESTAMP,
};
const without = (field: keyof typeof NEW) => ({
  send: 'POST /edge_functions',
  body: { ...NEW, [field]: undefined },
  status: 400,
  is: { [field]: ['This field is required.'] },
});

/** Sections 2.5 and 4.6. */
export const functions: readonly Row[] = [
  {
    section: '2.5',
    quotes: ['id · integer · read-only', 'name · string · required'],
    families: ['edge_function_info{function_id}', 'edge_function_info{function}'],
    steps: [
      without('name'),
      { send: `PATCH ${FUNCTION}`, body: { id: 5 }, status: 200, has: { results: { id: 4184 } } },
    ],
  },
  {
    section: '2.5',
    quotes: ['language · string · required; `javascript` is the value in use'],
    families: ['edge_function_info{language}'],
    steps: [without('language')],
  },
  {
    section: '2.5',
    quotes: ['code · string · required; source code of the function'],
    steps: [without('code')],
  },
  {
    section: '2.5',
    quotes: ['initiator_type · string · required; `edge_application` is the value in use'],
    families: ['edge_function_info{initiator_type}'],
    steps: [without('initiator_type')],
  },
  {
    section: '2.5',
    quotes: ['active · boolean · required'],
    families: ['edge_function_active'],
    steps: [without('active')],
  },
  {
    section: '2.5',
    quotes: [
      'json_args · JSON object · optional; arguments declared without changing the code',
      'function_to_run · string · sent on create; returned on reads',
    ],
    steps: [
      {
        send: 'POST /edge_functions',
        body: { ...NEW, json_args: { a: [1] }, function_to_run: 'main' },
        status: 201,
        has: { results: { json_args: { a: [1] }, function_to_run: 'main' } },
      },
      { send: 'GET /edge_functions/{id}', status: 200, has: { results: { function_to_run: 'main' } } },
      { send: 'PATCH /edge_functions/{id}', body: { json_args: 'a' }, status: 400 },
    ],
  },
  {
    section: '2.5',
    quotes: ['last_editor · string · read-only', 'modified · string · read-only timestamp'],
    families: [
      'edge_function_modified_timestamp_seconds',
      'edge_function_changed_timestamp_seconds',
      'edge_function_last_editor_info{last_editor}',
    ],
    steps: [
      {
        send: `PATCH ${FUNCTION}`,
        body: { name: 'g', last_editor: 'me', modified: '2000-01-01T00:00:00Z' },
        status: 200,
        has: { results: { last_editor: 'operator@example.com', modified: NOW } },
      },
    ],
  },
  {
    section: '2.5',
    quotes: ['reference_count · integer · read-only; returned by list reads'],
    families: ['edge_function_references'],
    steps: [
      { send: 'GET /edge_functions?page_size=1', status: 200, has: { results: [{ reference_count: 1 }] } },
      { send: `GET ${FUNCTION}`, status: 200, is: single({ ...SHOWN, json_args: { signing_key: TEXT } }) },
    ],
  },
  {
    section: '2.5',
    quotes: ['The allowed values of `language` and `initiator_type` beyond those in use: not shown.'],
    embedded: 'any string',
    steps: [
      { send: 'POST /edge_functions', body: { ...NEW, language: 'lua', initiator_type: 'x' }, status: 201 },
    ],
  },
  {
    section: '4.6',
    quotes: [
      'GET · `/edge_functions` · paging parameters · list envelope of Edge function objects',
      'GET · `/edge_functions/:id` · `:id` number · `{ results: function, schema_version }`',
    ],
    families: ['edge_function_info'],
    steps: [
      { send: 'GET /edge_functions', status: 200, is: envelope(3, { id: 4184, reference_count: 1 }) },
      { send: `GET ${FUNCTION}`, status: 200, has: single({ id: 4184 }) },
      { send: 'GET /edge_functions/5', status: 404 },
    ],
  },
  {
    section: '4.6',
    quotes: [
      'DELETE · `/edge_functions/:id` · - · 204',
      'POST · `/edge_functions` · name, function_to_run, initiator_type, code, language, json_args, active · `{ results: function, schema_version }`',
      'PUT · `/edge_functions/:id` · overwrite body with the fields of 2.5 · `{ results: function, schema_version }`',
      'PATCH · `/edge_functions/:id` · any subset · `{ results: function, schema_version }`',
    ],
    steps: [
      { send: 'POST /edge_functions', body: NEW, status: 201, is: single({ ...SHOWN, modified: NOW }) },
      {
        send: 'PATCH /edge_functions/{id}',
        body: { json_args: { a: 1 } },
        status: 200,
        has: { results: { name: 'f', json_args: { a: 1 } } },
      },
      {
        send: 'PUT /edge_functions/{id}',
        body: { ...NEW, name: 'g', active: false },
        status: 200,
        is: single({ ...SHOWN, id: TEXT, name: 'g', active: false }),
      },
      { send: 'DELETE /edge_functions/{id}', status: 204 },
      { send: 'GET /edge_functions/{id}', status: 404 },
    ],
  },
  {
    section: '4.6',
    quotes: [
      "A function's `id` can appear as a string in an overwrite response; the list and other reads give an integer.",
    ],
    embedded: 'setting `overwritten_function_id`, a string unless set',
    steps: [
      { send: `PUT ${FUNCTION}`, body: NEW, status: 200, has: { results: { id: '4184' } } },
      { send: `GET ${FUNCTION}`, status: 200, has: { results: { id: 4184 } } },
      { send: 'GET /edge_functions', status: 200, has: { results: [{ id: 4184 }, {}, {}] } },
      { send: 'PATCH /_sandbox/settings', body: { overwritten_function_id: 'number' }, status: 200 },
      { send: `PUT ${FUNCTION}`, body: NEW, status: 200, has: { results: { id: 4184 } } },
    ],
  },
];
