import { expect } from 'vitest';
import { APPLICATION, BOOLEAN, envelope, INTEGER, single, TEXT } from './expected.ts';
import type { Row } from './row.ts';

const MODULES = {
  application_acceleration: BOOLEAN,
  caching: BOOLEAN,
  device_detection: BOOLEAN,
  edge_functions: BOOLEAN,
  image_optimization: BOOLEAN,
  load_balancer: BOOLEAN,
};
const DETAIL = { id: INTEGER, name: TEXT, delivery_protocol: TEXT, active: BOOLEAN, ...MODULES };
const ORIGIN = {
  name: TEXT,
  origin_type: TEXT,
  origin_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
};
const CREATE = {
  name: 'new',
  delivery_protocol: 'http',
  origin_type: 'single_origin',
  address: 'origin.example.com',
  origin_protocol_policy: 'preserve',
  host_header: 'www.example.com',
  browser_cache_settings: 'override',
  browser_cache_settings_maximum_ttl: 20,
  cdn_cache_settings: 'honor',
  cdn_cache_settings_maximum_ttl: 60,
};

/** Sections 2.4 and 4.5. */
export const applications: readonly Row[] = [
  {
    section: '2.4',
    quotes: [
      'List item fields: `id` (integer), `name` (string), `active` (boolean), `origins` (array of objects with `name` string, `origin_type` string, `origin_id` string identifier).',
    ],
    families: [
      'edge_application_active',
      'edge_application_origins',
      'edge_application_origin_info{origin_type}',
    ],
    steps: [
      {
        send: 'GET /edge_applications?page_size=1',
        status: 200,
        has: { results: [{ id: INTEGER, name: 'shop', active: true, origins: [ORIGIN] }] },
      },
    ],
  },
  {
    section: '2.4',
    quotes: [
      'Detail fields (also returned after create, overwrite and update):',
      'id · integer',
      'name · string',
    ],
    families: ['edge_application_info'],
    steps: [
      { send: `GET ${APPLICATION}`, status: 200, is: single(DETAIL) },
      { send: 'POST /edge_applications', body: CREATE, status: 201, is: single(DETAIL) },
      { send: 'PUT /edge_applications/{id}', body: { name: 'new' }, status: 200, is: single(DETAIL) },
      { send: 'PATCH /edge_applications/{id}', body: {}, status: 200, is: single(DETAIL) },
    ],
  },
  {
    section: '2.4',
    quotes: ['delivery_protocol · string'],
    families: ['edge_application_info{delivery_protocol}'],
    steps: [
      { send: `PATCH ${APPLICATION}`, body: { delivery_protocol: 'http' }, status: 200 },
      { send: `GET ${APPLICATION}`, status: 200, has: { results: { delivery_protocol: 'http' } } },
    ],
  },
  {
    section: '2.4',
    quotes: ['active · boolean'],
    families: ['edge_application_active'],
    steps: [{ send: `PATCH ${APPLICATION}`, body: { active: 'yes' }, status: 400, is: { active: [TEXT] } }],
  },
  ...Object.keys(MODULES).map(
    (module): Row => ({
      section: '2.4',
      quotes: [`${module} · boolean`],
      families: ['edge_application_module_enabled{module}'],
      steps: [true, false].flatMap((on) => [
        { send: `PATCH ${APPLICATION}`, body: { [module]: on }, status: 200 },
        { send: `GET ${APPLICATION}`, status: 200, has: { results: { [module]: on } } },
      ]),
    }),
  ),
  {
    section: '2.4',
    quotes: [
      'Create-only body fields: `name`, `delivery_protocol`, `origin_type`, `address`, `origin_protocol_policy`, `host_header`, `browser_cache_settings`, `browser_cache_settings_maximum_ttl` (integer), `cdn_cache_settings`, `cdn_cache_settings_maximum_ttl` (integer); all strings except where stated.',
      'Enumerated values seen in use: delivery_protocol `http`; origin_type `single_origin`; origin_protocol_policy `preserve`; browser_cache_settings `override`; cdn_cache_settings `honor`.',
      'The complete sets of allowed values: not shown.',
    ],
    embedded: 'any string',
    steps: [
      { send: 'POST /edge_applications', body: CREATE, status: 201 },
      ...Object.entries(CREATE).map(([field, value]) => ({
        send: 'POST /edge_applications',
        body: { ...CREATE, [field]: typeof value === 'string' ? 5 : 'five' },
        status: 400,
        is: { [field]: [TEXT] },
      })),
    ],
  },
  {
    section: '4.5',
    quotes: [
      'GET · `/edge_applications` · paging parameters · list envelope of list items (2.4)',
      'GET · `/edge_applications/:id` · `:id` number · `{ results: detail, schema_version }`',
    ],
    families: ['edge_application_info'],
    steps: [
      { send: 'GET /edge_applications', status: 200, is: envelope(3, { id: 1528990720 }) },
      { send: `GET ${APPLICATION}`, status: 200, is: single(DETAIL) },
      { send: 'GET /edge_applications/5', status: 404 },
    ],
  },
  {
    section: '4.5',
    quotes: [
      'DELETE · `/edge_applications/:id` · - · 204',
      'POST · `/edge_applications` · create-only body fields (2.4) · `{ results: detail, schema_version }`',
      'PUT · `/edge_applications/:id` · detail fields name, delivery_protocol, active, application_acceleration, caching, device_detection, edge_functions, image_optimization, load_balancer · `{ results: detail, schema_version }`',
      'PATCH · `/edge_applications/:id` · any subset of the detail fields · `{ results: detail, schema_version }`',
    ],
    steps: [
      { send: 'POST /edge_applications', body: CREATE, status: 201, has: { results: { name: 'new' } } },
      {
        send: 'PATCH /edge_applications/{id}',
        body: { load_balancer: true },
        status: 200,
        has: { results: { name: 'new', load_balancer: true } },
      },
      {
        send: 'PUT /edge_applications/{id}',
        body: { name: 'newer', active: false, caching: false },
        status: 200,
        has: { results: { name: 'newer', active: false, caching: false, load_balancer: false } },
      },
      { send: 'DELETE /edge_applications/{id}', status: 204 },
      { send: 'GET /edge_applications/{id}', status: 404 },
    ],
  },
];
