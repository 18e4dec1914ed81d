import { expect } from 'vitest';
import type { Row } from './row.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

export const dns: readonly Row[] = [
  {
    section: '4.11',
    says: 'zones are listed in short and read in full',
    steps: [
      {
        send: 'GET /intelligent_dns?page_size=1',
        status: 200,
        has: {
          count: 2,
          results: [{ is_active: true, domain: 'example.com', name: 'Zone of example.com', id: 40960 }],
        },
      },
      {
        send: 'GET /intelligent_dns/40960',
        status: 200,
        has: {
          results: {
            nameservers: expect.any(Array),
            expiry: 1209600,
            nx_ttl: 3600,
            refresh: 43200,
            retry: 7200,
            soa_ttl: 3600,
          },
        },
      },
    ],
  },
  {
    section: '4.11',
    says: 'a zone is created, overwritten, and deleted with its records',
    steps: [
      {
        send: 'POST /intelligent_dns',
        body: { name: 'z', domain: 'new.example' },
        status: 201,
        has: { results: { is_active: true, soa_ttl: 3600 } },
      },
      {
        send: 'PUT /intelligent_dns/{id}',
        body: { name: 'y', domain: 'new.example', is_active: false },
        status: 200,
        has: { results: { name: 'y', is_active: false } },
      },
      { send: 'DELETE /intelligent_dns/{id}', status: 204 },
      { send: 'GET /intelligent_dns/{id}/records', status: 404 },
    ],
  },
  {
    section: '4.11',
    says: 'records are listed inside an object with their zone',
    steps: [
      {
        send: 'GET /intelligent_dns/40960/records?page_size=1',
        status: 200,
        has: {
          count: 6,
          total_pages: 6,
          links: { next: expect.stringContaining('/intelligent_dns/40960/records?page=2&page_size=1') },
          results: {
            records: [{ record_type: 'ANAME', entry: '@', ttl: 20 }],
            zone_id: 40960,
            zone_domain: 'example.com',
          },
        },
      },
    ],
  },
  {
    section: '4.11',
    says: 'a record is created with its ids, overwritten and deleted',
    steps: [
      {
        send: 'POST /intelligent_dns/40960/records',
        body: { record_type: 'A', entry: 'a', answers_list: ['192.0.2.1'], ttl: 60 },
        status: 201,
        has: { results: { id: expect.any(Number), zone_id: 40960, ttl: 60 } },
      },
      {
        send: 'PUT /intelligent_dns/40960/records/{id}',
        body: { record_type: 'A', entry: 'a', answers_list: ['192.0.2.2'] },
        status: 200,
        has: { results: { ttl: 3600 } },
      },
      { send: 'DELETE /intelligent_dns/40961/records/{id}', headers: JSON_TYPE, status: 404 },
      { send: 'DELETE /intelligent_dns/40960/records/{id}', headers: JSON_TYPE, status: 204 },
      { send: 'DELETE /intelligent_dns/40960/records/{id}', headers: JSON_TYPE, status: 404 },
    ],
  },
];
