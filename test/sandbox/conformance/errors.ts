import { DOMAIN, TEXT } from './expected.ts';
import { BASIC, type Row } from './row.ts';

/** Section 7, the status codes. */
export const errors: readonly Row[] = [
  {
    section: '7',
    quotes: ['Status codes used by every endpoint:', '200 · OK · general success'],
    families: ['edge_up'],
    steps: [{ send: 'GET /domains', status: 200 }],
  },
  {
    section: '7',
    quotes: ['201 · CREATED · a collection or item was created (by POST or PUT)'],
    steps: [{ send: 'POST /edge_applications', body: { name: 'new' }, status: 201 }],
  },
  {
    section: '7',
    quotes: ['204 · NO CONTENT · success without body; used for DELETE'],
    steps: [{ send: `DELETE ${DOMAIN}`, status: 204 }],
  },
  {
    section: '7',
    quotes: [
      "207 · MULTI-STATUS · a batch (for example URL purge) whose parts ended with different codes; each part's code is in its `status` field",
    ],
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: ['www.shop.example.com/a', 'x.example/b'], method: 'delete' },
        status: 207,
        has: [{ status: 'HTTP/1.1 201 CREATED' }, { status: 'HTTP/1.1 403 FORBIDDEN' }],
      },
    ],
  },
  {
    section: '7',
    quotes: ['400 · BAD REQUEST · invalid parameters, missing required parameters, or similar'],
    steps: [
      { send: 'GET /domains?page=0', status: 400, is: { page: [TEXT] } },
      { send: 'GET /domains?page_size=x', status: 400, is: { page_size: [TEXT] } },
      { send: 'POST /domains', body: {}, status: 400, has: { name: [TEXT] } },
      { send: 'POST /domains', body: [], status: 400 },
    ],
  },
  {
    section: '7',
    quotes: ['401 · UNAUTHORIZED · authentication header missing'],
    families: ['edge_up'],
    embedded: 'as well to a token that is wrong, revoked or expired',
    steps: [
      { send: 'GET /domains', headers: { authorization: null }, status: 401 },
      { send: 'GET /domains', headers: { authorization: 'Token wrong' }, status: 401 },
    ],
  },
  {
    section: '7',
    quotes: ['403 · FORBIDDEN · the user lacks the permission for the operation'],
    options: { tokens: [{ token: 'sandbox-token', permissions: [] }] },
    steps: [{ send: 'GET /domains', status: 403 }],
  },
  {
    section: '7',
    quotes: ['404 · NOT FOUND · the resource does not exist'],
    steps: ['/domains/5', '/nothing', '/domains?page=9'].map((path) => ({
      send: `GET ${path}`,
      status: 404,
    })),
  },
  {
    section: '7',
    quotes: ['405 · METHOD NOT ALLOWED · the method does not apply to the URL'],
    steps: [
      { send: 'PATCH /edge_firewall/200', body: {}, status: 405, answers: { allow: 'GET, DELETE, PUT' } },
      { send: 'DELETE /network_lists/1009', status: 405 },
      { send: 'PUT /tokens', headers: BASIC, status: 405 },
      { send: 'POST /analytics/metadata', version: 1, status: 405, answers: { allow: 'GET' } },
    ],
  },
  {
    section: '7',
    quotes: ['406 · NOT ACCEPTABLE · Accept header missing, malformed, or naming an unsupported version'],
    steps: [
      null,
      'json',
      'application/json',
      'application/json; version=x',
      'application/json; version=9',
    ].map((accept) => ({ send: 'GET /domains', headers: { accept }, status: 406 })),
  },
  {
    section: '7',
    quotes: ['409 · CONFLICT · for example creating a record that already exists'],
    steps: [
      {
        send: 'POST /intelligent_dns/40960/records',
        body: { record_type: 'ANAME', entry: '@', answers_list: ['a'] },
        status: 409,
      },
      { send: 'POST /intelligent_dns', body: { name: 'z', domain: 'example.com' }, status: 409 },
    ],
  },
  {
    section: '7',
    quotes: ['500 · INTERNAL SERVER ERROR · unidentified failure'],
    embedded: 'fault `server_error`',
    options: { faults: { server_error: {} } },
    steps: [{ send: 'GET /domains', status: 500 }],
  },
  {
    section: '7.6',
    quotes: [
      'Deleting a certificate or a firewall rule set that is in use is not allowed; the status code returned: not shown.',
    ],
    embedded: '409',
    steps: [
      { send: 'DELETE /digital_certificates/14', status: 409 },
      { send: 'DELETE /edge_firewall/rulesets/534', version: 1, status: 409 },
    ],
  },
  {
    section: '7',
    quotes: ['The JSON shape of error bodies: not shown.'],
    embedded: 'the four shapes that were recorded, each where it was recorded',
    steps: [
      { send: 'GET /domains/5', status: 404, is: { detail: TEXT } },
      {
        send: 'POST /edge_functions',
        body: { name: '' },
        status: 400,
        has: { name: ['This field may not be blank'] },
      },
      { send: 'GET /waf/rulesets/5', version: 2, status: 404, is: { errors: [TEXT] } },
      {
        send: 'GET /digital_certificates/5',
        status: 404,
        is: { errors: [{ message: TEXT, error: 'not_found' }], schema_version: 3 },
      },
    ],
  },
];
