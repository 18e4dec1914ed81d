import { expect } from 'vitest';
import { TIMESTAMP } from './expected.ts';
import { BASIC, type Row } from './row.ts';

const TOKEN = expect.stringMatching(/^[0-9a-f]{40}$/);
const WORKLOAD = '/v4/workspace/workloads/1720000000';

/** Sections 2.1, 4.1 and the rules of section 5 about tokens. */
export const tokens: readonly Row[] = [
  {
    section: '2.1',
    quotes: [
      'token · string · the token value; sent later as `Authorization: Token <ACCESS_TOKEN>`',
      'created_at · string · creation timestamp',
    ],
    steps: [
      {
        send: 'POST /tokens',
        headers: BASIC,
        status: 201,
        is: { token: TOKEN, created_at: TIMESTAMP, expires_at: TIMESTAMP },
      },
    ],
  },
  {
    section: '2.1',
    quotes: ['expires_at · string · expiry timestamp'],
    families: ['edge_token_expiry_timestamp_seconds'],
    steps: [{ send: 'POST /tokens', headers: BASIC, status: 201, has: { expires_at: TIMESTAMP } }],
  },
  {
    section: '4.1',
    quotes: [
      'POST · `/tokens` · header `Authorization: Basic <BASE64_CREDENTIALS>`, where the value is the base64 encoding of the string `<username>:<password>`; no body · 201 with the Token object (2.1)',
      'The username is the login of a user of the account management console.',
    ],
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201, has: { token: TOKEN } },
      { send: 'POST /tokens', headers: { authorization: 'Basic b3BlcmF0b3I6eA==' }, status: 401 },
    ],
  },
  {
    section: '4.1',
    quotes: [
      'DELETE · `/tokens/:token` · same Basic header; path `:token` string, the token to revoke · 204, no body',
    ],
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'DELETE /tokens/{id}', status: 401 },
      { send: 'DELETE /tokens/{id}', headers: BASIC, status: 204 },
      { send: 'DELETE /tokens/{id}', headers: BASIC, status: 404 },
    ],
  },
  {
    section: '5.1',
    quotes: ['Operations are authorized with tokens.'],
    steps: [
      { send: 'GET /domains', status: 200 },
      { send: 'GET /domains', headers: { authorization: 'Token wrong' }, status: 401 },
    ],
  },
  {
    section: '5.2',
    quotes: [
      'A token is created by `POST /tokens` using HTTP Basic authentication: header `Authorization: Basic <BASE64_CREDENTIALS>`, the base64 encoding of `<username>:<password>`.',
    ],
    steps: [{ send: 'POST /tokens', headers: BASIC, status: 201 }],
  },
  {
    section: '5.3',
    quotes: ['Token creation and revocation are the only operations that use Basic authentication.'],
    steps: [
      { send: 'POST /tokens', status: 401 },
      { send: 'GET /domains', headers: BASIC, status: 401 },
      { send: 'GET /analytics/metadata', version: 1, headers: BASIC, status: 401 },
    ],
  },
  {
    section: '5.4',
    quotes: [
      'All other operations use `Authorization: Token <ACCESS_TOKEN>`.',
      'The scheme word is written `Token` in version 1 and 2 samples and `token` in version 3 samples.',
    ],
    steps: ['Token', 'token'].flatMap((scheme) => {
      const headers = { authorization: `${scheme} sandbox-token` };
      return [
        { send: 'GET /domains', headers, status: 200 },
        { send: 'GET /waf/rulesets', version: 2, headers, status: 200 },
      ];
    }),
  },
  {
    section: '5.6',
    quotes: ['A missing authentication header gives 401.'],
    families: ['edge_up'],
    steps: [
      {
        send: 'GET /domains',
        headers: { authorization: null },
        status: 401,
        is: { detail: 'Authentication credentials were not provided.' },
      },
      { send: `PATCH ${WORKLOAD}`, body: {}, headers: { authorization: null }, status: 401 },
    ],
  },
  {
    section: '5.7',
    quotes: [
      'The version 1 sample shows `expires_at` exactly 24 hours after `created_at`.',
      'The rule for token lifetime: not shown.',
    ],
    embedded: 'option `token_lifetime`, 24 hours unless set',
    steps: [
      {
        send: 'POST /tokens',
        version: 1,
        headers: BASIC,
        status: 201,
        has: {
          created_at: expect.stringMatching(/^2026-11-20 12:34:20\./),
          expires_at: expect.stringMatching(/^2026-11-21 12:34:20\./),
        },
      },
    ],
  },
  {
    section: '5.9',
    quotes: [
      'The workload operation (4.16) takes a personal token in the same `Authorization: Token <ACCESS_TOKEN>` form.',
    ],
    embedded: 'any token of the account',
    steps: [{ send: `PATCH ${WORKLOAD}`, body: { domains: ['www.example.com'] }, status: 202 }],
  },
];
