import { expect } from 'vitest';
import { TEXT } from './expected.ts';
import type { Row } from './row.ts';

const OWN = 'https://www.shop.example.com/a.css';
const FOREIGN = 'www.foreign.example/b';
const urls = (count: number) => Array.from({ length: count }, (_, index) => `www.shop.example.com/${index}*`);
const ACCEPTED = {
  status: expect.stringContaining('201'),
  urls: [OWN],
  details: expect.stringContaining('created'),
};
const REFUSED = {
  status: expect.stringContaining('403'),
  urls: [FOREIGN],
  details: expect.stringContaining('not authorized'),
};

/** Sections 2.11 and 4.4, and the limits of section 8 on purges. */
export const purge: readonly Row[] = [
  {
    section: '2.11',
    quotes: [
      'urls · array of strings · URLs, cache keys, or a single wildcard expression, depending on the endpoint',
      'method · string · `delete`',
    ],
    steps: [
      { send: 'POST /purge/url', body: { urls: OWN, method: 'delete' }, status: 400, is: { urls: [TEXT] } },
      {
        send: 'POST /purge/url',
        body: { urls: [OWN], method: 'purge' },
        status: 400,
        is: { method: [TEXT] },
      },
    ],
  },
  {
    section: '2.11',
    quotes: ['layer · string · cache-key purge only: `edge_caching` (default) or `l2_caching`'],
    steps: [{ layer: undefined }, { layer: 'edge_caching' }, { layer: 'l2_caching' }, { layer: 'other' }].map(
      ({ layer }) => ({
        send: 'POST /purge/cachekey',
        body: { urls: [OWN], method: 'delete', layer },
        status: layer === 'other' ? 400 : 201,
      }),
    ),
  },
  {
    section: '4.4',
    quotes: [
      'POST · `/purge/url` · urls: up to 50 URLs; method `delete` · 207 with an array of batches `{ status: string such as an HTTP status line, urls: array, details: string }`. A batch with status 201 carries the accepted URLs with details saying the purge request was created. A batch with status 403 carries URLs on a domain the account may not purge',
    ],
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: [OWN, FOREIGN], method: 'delete' },
        status: 207,
        is: [ACCEPTED, REFUSED],
      },
      { send: 'POST /purge/url', body: { urls: [OWN], method: 'delete' }, status: 207, is: [ACCEPTED] },
    ],
  },
  {
    section: '4.4',
    quotes: [
      'POST · `/purge/cachekey` · urls: up to 50 cache keys; method `delete`; layer (versions 2 and 3 only) · 201 with `{ details: string }`',
    ],
    steps: [1, 2, 3].flatMap((version) => {
      const request = { send: 'POST /purge/cachekey', version };
      const body = { urls: ['www.shop.example.com/a@@'], method: 'delete' };
      const layered = { ...request, body: { ...body, layer: 'l2_caching' } };
      return [
        { ...request, body, status: 201, is: { details: TEXT } },
        version === 1 ? { ...layered, status: 400, is: { layer: [TEXT] } } : { ...layered, status: 201 },
      ];
    }),
  },
  {
    section: '4.4',
    quotes: [
      'POST · `/purge/wildcard` · urls: exactly one wildcard URL or wildcard cache key expression; method `delete` · 201 with `{ detail: string }` (singular key name)',
    ],
    steps: [
      {
        send: 'POST /purge/wildcard',
        body: { urls: urls(1), method: 'delete' },
        status: 201,
        is: { detail: TEXT },
      },
      { send: 'POST /purge/wildcard', body: { urls: [OWN], method: 'delete' }, status: 400 },
    ],
  },
  {
    section: '4.4',
    quotes: [
      'Purge removes objects from the edge caching layer.',
      'With cache-key purge, `layer` set to `l2_caching` purges the L2 caching layer instead.',
    ],
    embedded: 'accepted without effect: the embedded platform caches nothing',
  },
  {
    section: '7.1',
    quotes: [
      'URL purge: a URL on a domain that the account may not purge yields a batch with status 403 and details saying the domain is unauthorized for the account; other URLs of the request are still accepted (overall 207).',
    ],
    steps: [
      {
        send: 'POST /purge/url',
        body: { urls: [FOREIGN, OWN], method: 'delete' },
        status: 207,
        is: [ACCEPTED, REFUSED],
      },
    ],
  },
  {
    section: '8',
    quotes: ['urls per request · POST /purge/url and POST /purge/cachekey · at most 50'],
    steps: ['url', 'cachekey'].flatMap((kind) => [
      {
        send: `POST /purge/${kind}`,
        body: { urls: urls(50), method: 'delete' },
        status: kind === 'url' ? 207 : 201,
      },
      { send: `POST /purge/${kind}`, body: { urls: urls(51), method: 'delete' }, status: 400 },
    ]),
  },
  {
    section: '8',
    quotes: ['wildcard expressions per request · POST /purge/wildcard · exactly one'],
    steps: [0, 1, 2].map((count) => ({
      send: 'POST /purge/wildcard',
      body: { urls: urls(count), method: 'delete' },
      status: count === 1 ? 201 : 400,
    })),
  },
];
