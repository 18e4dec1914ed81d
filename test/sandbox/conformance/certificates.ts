import { expect } from 'vitest';
import type { Row } from './row.ts';

const PEM = (kind: string) => `-----BEGIN ${kind}-----\\nAA==\\n-----END ${kind}-----`;

const CERTIFICATE = { name: 'c', certificate: PEM('CERTIFICATE'), private_key: PEM('RSA PRIVATE KEY') };

const LIST = {
  count: expect.any(Number),
  total_pages: 1,
  schema_version: 3,
  links: { previous: null, next: null },
};

export const certificates: readonly Row[] = [
  {
    section: '4.3',
    says: 'certificates are listed and read with id and name, in an envelope from version 3 on and bare in version 1',
    steps: [
      { send: 'GET /digital_certificates', status: 200, has: { ...LIST, count: 2 } },
      {
        send: 'GET /digital_certificates',
        version: 1,
        status: 200,
        is: [
          { id: 14, name: '*.shop.example.com' },
          { id: 15, name: 'Self-signed Certificate' },
        ],
      },
      {
        send: 'GET /digital_certificates/14',
        status: 200,
        is: { results: { id: 14, name: '*.shop.example.com' }, schema_version: 3 },
      },
      {
        send: 'GET /digital_certificates/14',
        version: 1,
        status: 200,
        is: { id: 14, name: '*.shop.example.com' },
      },
    ],
  },
  {
    section: '4.3',
    says: 'a certificate is found by name, or not at all',
    steps: [
      {
        send: 'GET /digital_certificates/?name=Self-signed%20Certificate',
        status: 200,
        has: { results: { id: 15 } },
      },
      { send: 'GET /digital_certificates/?name=none', status: 200, has: { count: 0, results: [] } },
    ],
  },
  {
    section: '4.3',
    says: 'certificates are created with 201: in an envelope in version 3, bare in version 1',
    steps: [
      {
        send: 'POST /digital_certificates',
        body: CERTIFICATE,
        status: 201,
        is: { results: { id: expect.any(Number), name: 'c' }, schema_version: 3 },
      },
      {
        send: 'POST /digital_certificates',
        version: 1,
        body: CERTIFICATE,
        status: 201,
        is: { id: 17, name: 'c' },
      },
    ],
  },
  {
    section: '4.3',
    says: 'overwrites and updates answer bare, and a certificate goes with its key',
    steps: [
      { send: 'PUT /digital_certificates/14', body: CERTIFICATE, status: 200, is: { id: 14, name: 'c' } },
      { send: 'PATCH /digital_certificates/14', body: { name: 'd' }, status: 200, is: { id: 14, name: 'd' } },
      {
        send: 'PATCH /digital_certificates/14',
        body: { certificate: CERTIFICATE.certificate },
        status: 400,
        is: { private_key: [expect.any(String)] },
      },
      {
        send: 'PATCH /digital_certificates/14',
        version: 1,
        body: { ...CERTIFICATE },
        status: 200,
        is: { id: 14, name: 'c' },
      },
    ],
  },
  {
    section: '2.3',
    says: 'certificates and keys are PEM texts',
    steps: [
      {
        send: 'POST /digital_certificates',
        body: { ...CERTIFICATE, certificate: 'AA==', private_key: PEM('CERTIFICATE') },
        status: 400,
        is: { certificate: [expect.any(String)], private_key: [expect.any(String)] },
      },
    ],
  },
];
