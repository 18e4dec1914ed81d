import { envelope, single, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const PATH = '/digital_certificates';
const PEM = (kind: string, lineBreak = '\\n') =>
  [`-----BEGIN ${kind}-----`, 'AA==', `-----END ${kind}-----`].join(lineBreak);
const CERTIFICATE = { name: 'c', certificate: PEM('CERTIFICATE'), private_key: PEM('RSA PRIVATE KEY') };
const SHOP = { id: 14, name: '*.shop.example.com' };
const OTHER = { id: 15, name: 'Self-signed Certificate' };

/** Sections 2.3 and 4.3. */
export const certificates: readonly Row[] = [
  {
    section: '2.3',
    quotes: ['id · integer · read-only', 'name · string · required on write'],
    families: ['edge_certificate_info{certificate_id}', 'edge_certificate_info{certificate}'],
    steps: [
      { send: `POST ${PATH}`, body: { ...CERTIFICATE, name: undefined }, status: 400, is: { name: [TEXT] } },
      { send: `PATCH ${PATH}/14`, body: { id: 5, name: 'd' }, status: 200, is: { id: 14, name: 'd' } },
    ],
  },
  {
    section: '2.3',
    quotes: [
      'certificate · string · write-only. ASCII PEM certificate received from a certificate authority. Line breaks are replaced by the two-character sequence backslash followed by n. Starts with the marker BEGIN CERTIFICATE and ends with the marker END CERTIFICATE',
      'private_key · string · write-only. PEM private key used to generate the signing request, same line-break encoding. Starts with the marker BEGIN RSA PRIVATE KEY and ends with the marker END RSA PRIVATE KEY',
    ],
    embedded: 'real line breaks as well',
    steps: [
      { send: `POST ${PATH}`, body: CERTIFICATE, status: 201 },
      {
        send: `POST ${PATH}`,
        body: { name: 'c', certificate: PEM('CERTIFICATE', '\n'), private_key: PEM('RSA PRIVATE KEY', '\n') },
        status: 201,
      },
      {
        send: `POST ${PATH}`,
        body: { name: 'c', certificate: 'AA==', private_key: PEM('CERTIFICATE') },
        status: 400,
        is: { certificate: [TEXT], private_key: [TEXT] },
      },
    ],
  },
  {
    section: '2.3',
    quotes: ['Responses carry only `id` and `name`.'],
    families: ['edge_certificate_info'],
    embedded: 'setting `later_fields` adds the validity and others, which were seen in later answers',
    steps: [{ send: `GET ${PATH}/14`, status: 200, is: single(SHOP) }],
  },
  {
    section: '4.3',
    quotes: [
      'GET · `/digital_certificates` · paging parameters · version 3: list envelope of `{ id, name }`; version 1: bare array of `{ id, name }`',
      'GET · `/digital_certificates/:id` · `:id` number · version 3: `{ results: { id, name }, schema_version }`; version 1: bare `{ id, name }`',
    ],
    families: ['edge_certificate_info'],
    steps: [
      { send: `GET ${PATH}`, status: 200, is: { ...envelope(2), results: [SHOP, OTHER] } },
      { send: `GET ${PATH}`, version: 1, status: 200, is: [SHOP, OTHER] },
      { send: `GET ${PATH}/14`, status: 200, is: single(SHOP) },
      { send: `GET ${PATH}/14`, version: 1, status: 200, is: SHOP },
      { send: `GET ${PATH}/5`, status: 404 },
    ],
  },
  {
    section: '4.3',
    quotes: [
      'GET · `/digital_certificates/?name=<certificate_name>` · query `name` string; filter, so no match gives an empty list · `{ results: { id, name }, schema_version }` in the sample',
    ],
    embedded: 'setting `by_name_shape`: one match as an object, or as a list',
    steps: [
      { send: `GET ${PATH}/?name=Self-signed%20Certificate`, status: 200, is: single(OTHER) },
      { send: `GET ${PATH}/?name=none`, status: 200, has: { count: 0, results: [] } },
    ],
  },
  {
    section: '4.3',
    quotes: ['DELETE · `/digital_certificates/:id` · certificate must not be in use · 204'],
    embedded: '409 while a domain uses it',
    steps: [
      { send: `DELETE ${PATH}/14`, status: 409 },
      { send: `DELETE ${PATH}/15`, status: 204 },
      { send: `GET ${PATH}/15`, status: 404 },
    ],
  },
  {
    section: '4.3',
    quotes: [
      'POST · `/digital_certificates` · body: name, certificate, private_key · version 3 sample: `{ results: { id, name }, schema_version }`; version 1: 201 with bare `{ id, name }`',
    ],
    steps: [
      { send: `POST ${PATH}`, body: CERTIFICATE, status: 201, is: single({ id: 16, name: 'c' }) },
      { send: `POST ${PATH}`, version: 1, body: CERTIFICATE, status: 201, is: { id: 17, name: 'c' } },
    ],
  },
  {
    section: '4.3',
    quotes: [
      'PUT · `/digital_certificates/:id` · body: name, certificate, private_key · bare `{ id, name }` (200 in version 1)',
      'PATCH · `/digital_certificates/:id` · one or more of name, certificate, private_key; certificate and private_key must always be sent together as a pair · bare `{ id, name }` (200 in version 1)',
    ],
    steps: [
      ...[1, 3].flatMap((version) => [
        { send: `PUT ${PATH}/14`, version, body: CERTIFICATE, status: 200, is: { id: 14, name: 'c' } },
        { send: `PATCH ${PATH}/14`, version, body: { name: 'd' }, status: 200, is: { id: 14, name: 'd' } },
      ]),
      { send: `PUT ${PATH}/14`, body: { name: 'c' }, status: 400 },
      { send: `PATCH ${PATH}/14`, body: {}, status: 400 },
      {
        send: `PATCH ${PATH}/14`,
        body: { certificate: CERTIFICATE.certificate },
        status: 400,
        is: { private_key: [TEXT] },
      },
      {
        send: `PATCH ${PATH}/14`,
        body: { private_key: CERTIFICATE.private_key },
        status: 400,
        is: { certificate: [TEXT] },
      },
    ],
  },
];
