import { expect } from 'vitest';
import type { Row } from './row.ts';

const urls = (count: number) => ({
  urls: Array.from({ length: count }, (_, index) => `www.shop.example.com/${index}*`),
  method: 'delete',
});

export const limits: readonly Row[] = [
  {
    section: '8',
    says: 'a purge by URL or cache key takes up to 50',
    steps: ['url', 'cachekey'].flatMap((kind) => [
      { send: `POST /purge/${kind}`, body: urls(50), status: kind === 'url' ? 207 : 201 },
      { send: `POST /purge/${kind}`, body: urls(51), status: 400 },
    ]),
  },
  {
    section: '8',
    says: 'a purge by wildcard takes one expression',
    steps: [
      { send: 'POST /purge/wildcard', body: urls(1), status: 201 },
      { send: 'POST /purge/wildcard', body: urls(2), status: 400 },
    ],
  },
  {
    section: '8',
    says: 'a page has ten items and is the first, unless told',
    options: { configurations: 6 },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        has: {
          count: 12,
          total_pages: 2,
          links: { previous: null, next: expect.stringContaining('page=2&page_size=10') },
        },
      },
    ],
  },
  {
    section: '8',
    says: 'answers count operations down, and when none is left the next is a 429 until the frame closes',
    options: { rateLimit: { reads: 2, writes: 20, purges: 200 } },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        answers: {
          'X-ratelimit-limit': '2',
          'X-ratelimit-remaining': '1',
          'X-ratelimit-reset': expect.stringMatching(/^2026-11-20T12:35:20/),
        },
      },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '0' } },
      { send: 'GET /domains', status: 429 },
      { pass: 60_000 },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '1' } },
    ],
  },
  {
    section: '8',
    says: 'two hundred operations a minute, 199 after the first',
    options: { rateLimit: { reads: 200, writes: 20, purges: 200 } },
    steps: [
      {
        send: 'GET /domains',
        status: 200,
        answers: { 'X-ratelimit-limit': '200', 'X-ratelimit-remaining': '199' },
      },
    ],
  },
];
