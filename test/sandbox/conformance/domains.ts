import { expect } from 'vitest';
import { BOOLEAN, DOMAIN, envelope, INTEGER, single, TEXT, TEXTS } from './expected.ts';
import type { Row } from './row.ts';

const NEW = { name: 'new', edge_application_id: 1528990720 };
const CNAMES = ['a.example.com', 'b.example.com'];
const HOSTNAME = expect.stringMatching(/^[0-9a-f]{7}\.map\.edge\.example\.net$/);

/** Sections 2.2 and 4.2. */
export const domains: readonly Row[] = [
  {
    section: '2.2',
    quotes: ['id · integer · read-only', 'name · string · name of the configuration'],
    families: ['edge_domain_info{domain_id}', 'edge_domain_info{domain}'],
    steps: [
      { send: `PATCH ${DOMAIN}`, body: { id: 5, name: 'store' }, status: 200 },
      { send: `GET ${DOMAIN}`, status: 200, has: { results: { id: 1536580016, name: 'store' } } },
    ],
  },
  {
    section: '2.2',
    quotes: [
      'cnames · array of strings · site hostnames; default empty. The field description calls it `cname`, while every request and response sample uses `cnames`',
    ],
    families: ['edge_domain_cnames', 'edge_domain_cname_info{cname}'],
    steps: [
      { send: 'POST /domains', body: NEW, status: 201, has: { results: { cnames: [] } } },
      {
        send: 'PATCH /domains/{id}',
        body: { cnames: CNAMES },
        status: 200,
        has: { results: { cnames: CNAMES } },
      },
    ],
  },
  {
    section: '2.2',
    quotes: [
      'cname_access_only · boolean · true: content is delivered only through the listed cnames; false: the platform-generated domain is also used. Default false',
    ],
    families: ['edge_domain_cname_access_only'],
    embedded: 'kept and answered; the embedded platform delivers no content',
    steps: [
      { send: 'POST /domains', body: NEW, status: 201, has: { results: { cname_access_only: false } } },
      { send: 'PATCH /domains/{id}', body: { cname_access_only: true }, status: 200 },
      { send: 'GET /domains/{id}', status: 200, has: { results: { cname_access_only: true } } },
    ],
  },
  {
    section: '2.2',
    quotes: [
      'digital_certificate_id · integer or null · id of a digital certificate registered as a custom certificate, used for HTTPS. Default null, meaning the shared platform certificate',
    ],
    families: ['edge_domain_info{certificate_id}'],
    embedded: '400 to a certificate that does not exist',
    steps: [
      { send: 'POST /domains', body: NEW, status: 201, has: { results: { digital_certificate_id: null } } },
      {
        send: 'PATCH /domains/{id}',
        body: { digital_certificate_id: 15 },
        status: 200,
        has: { results: { digital_certificate_id: 15 } },
      },
      { send: `PATCH ${DOMAIN}`, body: { digital_certificate_id: 5 }, status: 400 },
    ],
  },
  {
    section: '2.2',
    quotes: ['edge_application_id · integer · edge application associated with the domain'],
    families: ['edge_domain_info{edge_application_id}'],
    embedded: '400 to an application that does not exist',
    steps: [
      { send: `GET ${DOMAIN}`, status: 200, has: { results: { edge_application_id: 1528990720 } } },
      {
        send: `PATCH ${DOMAIN}`,
        body: { edge_application_id: 5 },
        status: 400,
        is: { edge_application_id: [TEXT] },
      },
    ],
  },
  {
    section: '2.2',
    quotes: ['is_active · boolean · true: registered as active (in production); false: inactive'],
    families: ['edge_domain_active'],
    steps: [
      { send: `PATCH ${DOMAIN}`, body: { is_active: false }, status: 200 },
      { send: `GET ${DOMAIN}`, status: 200, has: { results: { is_active: false } } },
    ],
  },
  {
    section: '2.2',
    quotes: ['domain_name · string · read-only, platform-generated hostname of the domain'],
    families: ['edge_domain_info{domain_name}'],
    steps: [
      {
        send: `PATCH ${DOMAIN}`,
        body: { domain_name: 'x' },
        status: 200,
        has: { results: { domain_name: HOSTNAME } },
      },
    ],
  },
  {
    section: '4.2',
    quotes: [
      'GET · `/domains` · optional paging and ordering query parameters · list envelope of Domain objects',
      'GET · `/domains/:domain_id` · `:domain_id` integer · `{ results: Domain, schema_version }`',
    ],
    families: ['edge_domain_info'],
    steps: [
      { send: 'GET /domains', status: 200, has: envelope(6, { id: 1536580016, name: 'shop' }) },
      {
        send: `GET ${DOMAIN}`,
        status: 200,
        is: single({
          id: INTEGER,
          name: TEXT,
          cnames: TEXTS,
          cname_access_only: BOOLEAN,
          digital_certificate_id: INTEGER,
          edge_application_id: INTEGER,
          is_active: BOOLEAN,
          domain_name: HOSTNAME,
        }),
      },
    ],
  },
  {
    section: '4.2',
    quotes: [
      'GET · `/domains/?name=<domain_name>` · query `name` string; filter semantics: a query that matches nothing returns an empty list · see below',
      'The exact response shape of the by-name lookup: not shown (the sample shows a single `results` object, the text says an empty list on no match).',
    ],
    embedded: 'setting `by_name_shape`: one match as an object, or as a list',
    steps: [
      { send: 'GET /domains/?name=shop', status: 200, is: single(expect.objectContaining({ name: 'shop' })) },
      { send: 'GET /domains/?name=none', status: 200, has: { count: 0, results: [] } },
      { send: 'PATCH /_sandbox/settings', body: { by_name_shape: 'list' }, status: 200 },
      { send: 'GET /domains/?name=shop', status: 200, has: { count: 1, results: [{ name: 'shop' }] } },
    ],
  },
  {
    section: '4.2',
    quotes: [
      'DELETE · `/domains/:domain_id` · - · 204',
      'POST · `/domains` · body with name, cnames, cname_access_only, digital_certificate_id, edge_application_id, is_active · `{ results: Domain, schema_version }`',
      'PUT · `/domains/:domain_id` · same body, overwrite · `{ results: Domain, schema_version }`',
      'PATCH · `/domains/:domain_id` · any subset of the body fields · `{ results: Domain, schema_version }`',
    ],
    embedded: '409 to a cname that another domain has',
    steps: [
      {
        send: 'POST /domains',
        body: {
          ...NEW,
          cnames: CNAMES,
          cname_access_only: true,
          digital_certificate_id: 14,
          is_active: false,
        },
        status: 201,
        is: single({
          ...NEW,
          id: INTEGER,
          cnames: CNAMES,
          cname_access_only: true,
          digital_certificate_id: 14,
          is_active: false,
          domain_name: HOSTNAME,
        }),
      },
      {
        send: 'PUT /domains/{id}',
        body: NEW,
        status: 200,
        has: { results: { is_active: true, cnames: [] } },
      },
      { send: 'PATCH /domains/{id}', body: {}, status: 200, has: { results: NEW } },
      { send: 'PATCH /domains/{id}', body: { cnames: ['www.shop.example.com'] }, status: 409 },
      { send: `DELETE ${DOMAIN}`, status: 204 },
      { send: `GET ${DOMAIN}`, status: 404 },
    ],
  },
];
