import { expect } from 'vitest';
import { BASIC, type Row } from './row.ts';

const WORKLOAD = '/v4/workspace/workloads';

export const authentication: readonly Row[] = [
  {
    section: '5.2',
    says: 'a token is made with a username and password in Basic authentication',
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201, has: { token: expect.any(String) } },
      { send: 'POST /tokens', headers: { authorization: 'Basic b3BlcmF0b3I6eA==' }, status: 401 },
    ],
  },
  {
    section: '5.3',
    says: 'only tokens are made and revoked with Basic authentication',
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'DELETE /tokens/{id}', headers: BASIC, status: 204 },
      { send: 'GET /domains', headers: BASIC, status: 401 },
      { send: 'POST /tokens', status: 401 },
    ],
  },
  {
    section: '5.4',
    says: 'the scheme word may be written Token or token',
    steps: ['Token', 'token'].map((scheme) => ({
      send: 'GET /domains',
      headers: { authorization: `${scheme} sandbox-token` },
      status: 200,
    })),
  },
  {
    section: '5.5',
    says: 'the list of legacy rule sets names no permission',
    options: { tokens: [{ token: 'bare', permissions: [] }] },
    steps: [
      {
        send: 'GET /edge_firewall/rulesets',
        version: 1,
        headers: { authorization: 'Token bare' },
        status: 200,
      },
    ],
  },
  {
    section: '5.6',
    says: 'without the header, or with a token that is none, every operation answers 401',
    steps: [
      {
        send: 'GET /domains',
        headers: { authorization: null },
        status: 401,
        is: { detail: 'Authentication credentials were not provided.' },
      },
      { send: 'GET /domains', headers: { authorization: 'Token wrong' }, status: 401 },
      { send: `PATCH ${WORKLOAD}/1720000000`, body: {}, headers: { authorization: null }, status: 401 },
    ],
  },
  {
    section: '5.7',
    says: 'a token lives for 24 hours',
    steps: [
      {
        send: 'POST /tokens',
        version: 1,
        headers: BASIC,
        status: 201,
        has: {
          created_at: expect.stringMatching(/^2026-11-20 12:34:20\.\d{6}\+00:00$/),
          expires_at: expect.stringMatching(/^2026-11-21 12:34:20\.\d{6}\+00:00$/),
        },
      },
    ],
  },
  {
    section: '5.9',
    says: 'the workload operation takes the same form of token',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000000`,
        body: { domains: [] },
        headers: { authorization: 'Token sandbox-token' },
        status: 202,
      },
    ],
  },
];
