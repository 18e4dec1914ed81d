import { expect } from 'vitest';
import type { Row } from './row.ts';

export const applications: readonly Row[] = [
  {
    section: '4.5',
    says: 'edge applications are listed with their origins and read with their switches',
    steps: [
      {
        send: 'GET /edge_applications?page_size=1',
        status: 200,
        has: {
          count: 3,
          results: [
            {
              id: 1528990720,
              name: 'shop',
              active: true,
              origins: [
                {
                  name: 'Default Origin',
                  origin_type: 'single_origin',
                  origin_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
                },
              ],
            },
          ],
        },
      },
      {
        send: 'GET /edge_applications/1528990720',
        status: 200,
        is: {
          results: {
            id: 1528990720,
            name: 'shop',
            delivery_protocol: expect.any(String),
            active: true,
            application_acceleration: expect.any(Boolean),
            caching: true,
            device_detection: expect.any(Boolean),
            edge_functions: true,
            image_optimization: true,
            load_balancer: true,
          },
          schema_version: 3,
        },
      },
    ],
  },
  {
    section: '4.5',
    says: 'an edge application is created, overwritten and updated, each time answered in detail',
    steps: [
      {
        send: 'POST /edge_applications',
        body: {
          name: 'new',
          delivery_protocol: 'http',
          origin_type: 'single_origin',
          address: 'origin.example.com',
        },
        status: 201,
        has: { results: { name: 'new', active: true, load_balancer: false } },
      },
      {
        send: 'PATCH /edge_applications/{id}',
        body: { load_balancer: true },
        status: 200,
        has: { results: { name: 'new', load_balancer: true } },
      },
      {
        send: 'PUT /edge_applications/{id}',
        body: { name: 'newer' },
        status: 200,
        has: { results: { name: 'newer', load_balancer: false } },
      },
    ],
  },
];
