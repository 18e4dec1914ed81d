import { expect } from 'vitest';
import type { Row } from './row.ts';

export const purge: readonly Row[] = [
  {
    section: '4.4',
    says: 'a purge by URL answers 207 with a batch for the URLs accepted and one for those of other accounts',
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: ['https://www.shop.example.com/a.css', 'www.foreign.example/b'], method: 'delete' },
        status: 207,
        is: [
          {
            status: 'HTTP/1.1 201 CREATED',
            urls: ['https://www.shop.example.com/a.css'],
            details: expect.stringContaining('created'),
          },
          {
            status: 'HTTP/1.1 403 FORBIDDEN',
            urls: ['www.foreign.example/b'],
            details: expect.stringContaining('not authorized'),
          },
        ],
      },
    ],
  },
  {
    section: '4.4',
    says: 'a purge by cache key answers 201 with details; versions 2 and 3 take a layer, version 1 does not',
    steps: [1, 2, 3].map((version) => ({
      send: 'POST /purge/cachekey',
      version,
      body: { urls: ['www.shop.example.com/a@@'], method: 'delete', layer: 'l2_caching' },
      ...(version === 1 ? { status: 400 } : { status: 201, is: { details: expect.any(String) } }),
    })),
  },
  {
    section: '4.4',
    says: 'a purge by wildcard takes exactly one expression and answers 201 with detail',
    steps: [
      {
        send: 'POST /purge/wildcard',
        body: { urls: ['www.shop.example.com/*'], method: 'delete' },
        status: 201,
        is: { detail: expect.any(String) },
      },
      {
        send: 'POST /purge/wildcard',
        body: { urls: ['www.shop.example.com/a'], method: 'delete' },
        status: 400,
      },
    ],
  },
  {
    section: '2.11',
    says: 'the method of a purge is delete',
    steps: [{ send: 'POST /purge/url', body: { urls: ['a'], method: 'purge' }, status: 400 }],
  },
];
