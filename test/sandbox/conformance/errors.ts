import { expect } from 'vitest';
import { BASIC, type Row } from './row.ts';

const SERIES = '/metrics/products/1441740010/configurations/1536580016/metrics/waf';

const WORKLOAD = '/v4/workspace/workloads';

export const errors: readonly Row[] = [
  {
    section: '7',
    says: 'a success without a body is a 204',
    steps: [{ send: 'DELETE /domains/1536580016', status: 204 }],
  },
  {
    section: '7',
    says: 'missing and wrong parameters are a 400',
    steps: [
      { send: `GET ${SERIES}`, version: 2, status: 400 },
      { send: `GET ${SERIES}?date_from=soon`, version: 2, status: 400 },
      { send: 'POST /domains', body: {}, status: 400 },
    ],
  },
  {
    section: '7',
    says: 'what does not exist is a 404',
    steps: [
      { send: 'GET /domains/5', status: 404 },
      { send: 'GET /nothing', status: 404 },
    ],
  },
  {
    section: '7',
    says: 'a method that a path does not have is a 405',
    steps: [
      { send: 'PATCH /edge_firewall/200', body: {}, status: 405, answers: { allow: 'GET, DELETE, PUT' } },
      { send: 'DELETE /network_lists/1009', status: 405 },
      { send: 'PUT /tokens', headers: BASIC, status: 405 },
    ],
  },
  {
    section: '7',
    says: 'an Accept header that is missing, malformed or of another version is a 406',
    steps: [null, 'json', 'application/json; version=9'].map((accept) => ({
      send: 'GET /domains',
      headers: { accept: accept ?? '*/*' },
      status: 406,
    })),
  },
  {
    section: '7',
    says: 'what exists already is a 409',
    steps: [
      { send: 'POST /intelligent_dns', body: { name: 'z', domain: 'example.com' }, status: 409 },
      {
        send: 'POST /intelligent_dns/40960/records',
        body: { record_type: 'ANAME', entry: '@', answers_list: ['a'] },
        status: 409,
      },
    ],
  },
  {
    section: '7',
    says: 'a failure of the platform is a 500',
    options: { faults: { server_error: {} } },
    steps: [{ send: 'GET /domains', status: 500 }],
  },
  {
    section: '7.1',
    says: 'a URL of another account does not stop the others from being purged',
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: ['x.example/1', 'www.shop.example.com/2'], method: 'delete' },
        status: 207,
        has: [{ urls: ['www.shop.example.com/2'] }, { urls: ['x.example/1'] }],
      },
    ],
  },
  {
    section: '7.2',
    says: 'a wildcard hostname is refused',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000000`,
        body: { domains: ['*.example.com'] },
        status: 400,
        has: { errors: [expect.stringContaining('RFC 1035')] },
      },
    ],
  },
  {
    section: '7.3',
    says: 'hostnames of others are refused by name',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { domains: ['a.example.com', 'front.shop.example.com'] },
        status: 400,
        has: { errors: [expect.stringMatching(/not allowed.*: front\.shop\.example\.com\.$/)] },
      },
    ],
  },
  {
    section: '7.4',
    says: 'a staged workload takes no hostname',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000002`,
        body: { domains: ['a.example.com'] },
        status: 400,
        has: { errors: [expect.stringContaining('staging')] },
      },
    ],
  },
  {
    section: '7.5',
    says: 'a workload domain is not closed while no hostname is listed',
    steps: [
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { workload_domain_allow_access: false },
        status: 400,
        has: { errors: [expect.stringContaining('required')] },
      },
      {
        send: `PATCH ${WORKLOAD}/1720000001`,
        body: { workload_domain_allow_access: false, domains: ['a.example.com'] },
        status: 202,
      },
    ],
  },
];
